// A server as the recipe describes it, before anything runs: how to start it, know that it is
// ready, send it traffic and stop it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "traffic/wire/message.h"

namespace hone::subject {

// Placeholders in commands, URLs and files: {binary} {host} {port} {port_tls} {admin} {run}
// {origin} {origin_host} {origin_port} {cert} {key} {workers} {name}.

struct Ready {
  std::string http;  // URL template that must answer below 500; empty: `tcp`
  std::string tcp;   // "127.0.0.1:{port}" accepts connections
  double limit_s = 30;
};
HONE_JSON(Ready)

struct Stop {
  std::string signal = "TERM";
  std::string post;     // URL template; POSTed instead of a signal when set
  double limit_s = 10;  // then SIGKILL, and a finding
};
HONE_JSON(Stop)

struct FileTemplate {  // written into {run} before the start
  std::string name;    // of the file, without ".mustache"
  std::string text;    // mustache, escaping off; view: placeholders and the shape's `config`
};
HONE_JSON(FileTemplate)

struct ServerSpec {
  std::vector<std::string> command;  // first word usually "{binary}"
  std::map<std::string, std::string> env;
  int workers = 1;
  std::string user;  // empty: as hone
  Ready ready;
  Stop stop;
  std::vector<FileTemplate> files;
};
HONE_JSON(ServerSpec)

// What decides how the server behaves, for fingerprints: all of it but how long hone waits.
Json behaviour(const ServerSpec&);

// A command that sends a leg's traffic in place of hone's own generator: h2load, wrk, oha,
// nighthawk_client or the user's. In training only: it keeps no connections between the slices of a
// proof.
struct Generator {
  // Beside the placeholders above: {url}, {seconds} (whole ones), {connections}, {streams}.
  std::vector<std::string> command;
  // How its output (both streams) tells the answers that were as expected: a regular expression
  // (ECMAScript) with one group around the number, of which the last match counts; or a JSON
  // pointer to it, in the object that the output is. Exactly one of the two.
  std::string answers, answers_json;
  // A regular expression with one group around a count that must be 0 where it matches; may be
  // empty.
  std::string failures;
};
HONE_JSON(Generator)

struct Shape {
  std::string name;  // "h1-4k"
  traffic::wire::Protocol protocol = traffic::wire::Protocol::kHttp1;
  bool tls = false;
  std::string method = "GET";
  std::string path = "/";
  std::vector<traffic::wire::Header> headers;
  std::uint64_t body_bytes = 0;  // of the request
  Json config = Json::object();  // for the file templates
  bool train = true;             // false: printed with '*'
  bool prove = true;
  double share = 1;                    // of the user's traffic; normalised over the shapes
  std::optional<Generator> generator;  // of its leg; nothing: hone's own
};
HONE_JSON(Shape)

}  // namespace hone::subject
