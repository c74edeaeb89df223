// The exit status is 0 when the counts add up and at least one request was answered well: whether a
// rate was reached or a latency is good is for whoever reads the figures. Ctrl-C ends the measured
// time early: its figures are printed, and the status says that they are not all.
#include "cli/commands/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "base/units.h"
#include "cli/console.h"
#include "subject/url.h"
#include "system/cpus.h"
#include "traffic/load/load_session.h"
#include "traffic/load/request_list.h"

namespace hone::cli {
namespace {

using system::net::LoopThread;
using traffic::load::Histogram;
using traffic::load::LatencySummary;
using traffic::load::PoolSpec;
using traffic::load::SliceResult;
using traffic::load::SliceSpec;

constexpr const char* kLoadExamples =
    "Open loop: request i is due at its time on connection i mod N whatever the server does, and\n"
    "latency runs from that time. missed: the generator's own fault (over 10 ms late, not sent);\n"
    "blocked: the connection was still busy, the request waited with its due time.\n"
    "\n"
    "Examples:\n"
    "  hone load http://127.0.0.1:8080/ --rate 8000 --duration 10\n"
    "  hone load https://localhost:8443/ --rate 2000 --protocol h2 --insecure --warm-up 2\n"
    "  hone load https://localhost:8443/ --rate 2000 --protocol h3 --cacert cert.pem\n"
    "  hone load http://127.0.0.1:8080/ --rate 8000 --arrivals burst:16 --json\n"
    "  hone load http://127.0.0.1:8080/package.Service/Method --protocol grpc --body message.bin "
    "\\\n"
    "      --rate 1000\n"
    "  hone load http://127.0.0.1:8080/ --rate 8000 --requests mix.jsonl\n"
    "  hone load http://127.0.0.1:8080/ --closed-loop --connections 64 --threads 2\n";

struct LoadArguments {
  std::string url, protocol = "h1", method = "GET", body_file, requests_file, arrivals = "poisson";
  std::string duration = "10", warm_up = "0", timeout = "5";
  std::string cacert, sni, connect, cpus;
  std::vector<std::string> headers;
  double rate = 0;
  long long body_size = 0;
  int connections = 16, threads = 1, streams = 32, requests_per_connection = 0;
  std::uint64_t seed = 1;
  bool spin = false, insecure = false, closed_loop = false, json = false;
};

Result<traffic::wire::Request> make_request(const LoadArguments& arguments, const subject::Url& url,
                                            system::System& system) {
  traffic::wire::Request request;
  request.method = arguments.method;
  request.scheme = url.tls ? "https" : "http";
  const std::uint16_t usual = url.tls ? 443 : 80;
  const system::net::Address named{url.host, url.port};
  request.authority = to_string(named);
  if (url.port == usual) request.authority.resize(request.authority.rfind(':'));
  request.path = url.path;
  for (const std::string& text : arguments.headers) {
    HONE_TRY(auto header, traffic::load::parse_header(text));
    traffic::load::add_header(&request, std::move(header));
  }
  if (!arguments.body_file.empty()) {
    HONE_TRY(request.body, system.files->read(arguments.body_file));
  } else {
    request.body = traffic::load::body_of(static_cast<std::size_t>(arguments.body_size));
  }
  HONE_CHECK(traffic::load::check_request(request));
  return request;
}

Result<std::vector<traffic::load::RequestShare>> make_requests(const LoadArguments& arguments,
                                                               const subject::Url& url,
                                                               system::System& system) {
  HONE_TRY(traffic::wire::Request request, make_request(arguments, url, system));
  if (arguments.requests_file.empty()) {
    return std::vector<traffic::load::RequestShare>{{std::move(request), 1, {}}};
  }
  HONE_TRY(const std::string text, system.files->read(arguments.requests_file));
  return traffic::load::parse_request_list(text, arguments.requests_file, request);
}

Result<PoolSpec> make_pool(const LoadArguments& arguments, system::System& system) {
  HONE_TRY(const subject::Url url, subject::parse_url(arguments.url));
  PoolSpec pool;
  HONE_TRY(pool.requests, make_requests(arguments, url, system));
  HONE_TRY(pool.target.protocol, traffic::wire::parse_protocol(arguments.protocol));
  system::net::Address peer{url.host, url.port};
  if (!arguments.connect.empty()) {
    HONE_TRY(peer, system::net::split_host_port(arguments.connect));
  }
  HONE_TRY(const auto addresses, system::net::resolve_all(peer.host, peer.port));
  pool.target.address = addresses.front();
  pool.target.other_addresses.assign(addresses.begin() + 1, addresses.end());
  pool.target.tls = url.tls;
  pool.target.verify = !arguments.insecure;
  pool.target.ca_file = arguments.cacert;
  pool.target.sni = arguments.sni.empty() ? url.host : arguments.sni;
  pool.connections = arguments.connections;
  pool.streams = arguments.streams;
  pool.requests_per_connection = arguments.requests_per_connection;
  HONE_TRY(pool.timeout_s, parse_duration_s(arguments.timeout));
  return pool;
}

Result<SliceSpec> make_slice(const LoadArguments& arguments) {
  if (!arguments.closed_loop && !(arguments.rate > 0)) {
    return fail(ErrorKind::kUsage, "how many requests per second?",
                "give --rate R, or --closed-loop for as many as are answered");
  }
  SliceSpec slice;
  slice.rate = arguments.rate;
  HONE_TRY(slice.duration_s, parse_duration_s(arguments.duration));
  HONE_TRY(slice.arrivals, traffic::load::parse_arrivals(arguments.arrivals));
  slice.seed = arguments.seed;
  slice.spin = arguments.spin;
  slice.closed_loop = arguments.closed_loop;
  return slice;
}

// One CPU for each thread where there are enough, else all of them for every thread.
Result<std::vector<std::unique_ptr<LoopThread>>> start_threads(const LoadArguments& arguments) {
  std::vector<int> cpus;
  if (!arguments.cpus.empty()) {
    HONE_TRY(cpus, system::parse_cpu_list(arguments.cpus));
  }
  const auto count = static_cast<std::size_t>(arguments.threads);
  std::vector<std::unique_ptr<LoopThread>> threads;
  for (std::size_t i = 0; i < count; ++i) {
    const bool own = cpus.size() >= count;
    HONE_TRY(auto thread, LoopThread::start(own ? std::vector<int>{cpus[i]} : cpus));
    threads.push_back(std::move(thread));
  }
  return threads;
}

Result<SliceResult> measure(const LoadArguments& arguments, system::System& system) {
  HONE_TRY(const PoolSpec pool_spec, make_pool(arguments, system));
  HONE_TRY(SliceSpec slice, make_slice(arguments));
  HONE_TRY(const double warm_up_s, parse_duration_s(arguments.warm_up));
  HONE_TRY(const auto threads, start_threads(arguments));
  std::vector<LoopThread*> loops;
  for (const auto& thread : threads) loops.push_back(thread.get());
  const auto session = traffic::load::make_in_process(loops);
  HONE_TRY(const auto pool, session->connect(pool_spec));
  SliceResult warm;
  if (warm_up_s > 0) {
    SliceSpec first = slice;
    first.duration_s = warm_up_s;
    first.seed = derive_seed(slice.seed, 1);
    HONE_TRY(warm, session->slice(pool, first));
  }
  slice.keep_interrupted = true;
  HONE_TRY(SliceResult result, session->slice(pool, slice));
  // Connecting is not measured, but how it went belongs to the run.
  result.connections_made += warm.connections_made;
  result.handshakes_full += warm.handshakes_full;
  result.handshakes_resumed += warm.handshakes_resumed;
  return result;
}

void print_row(const char* name, const Histogram& histogram) {
  const LatencySummary s = summarise(histogram);
  fmt::print("  {:<18} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f}\n", name, s.p50,
             s.p90, s.p99, s.p999, s.max, s.mean);
}

void print_mix(const SliceResult& r) {
  // More rows than a screen has are for --json.
  constexpr std::size_t kRows = 20;
  const double sent = r.sent == 0 ? 1 : static_cast<double>(r.sent);
  fmt::print("  {:<32} {:>8} {:>8} {:>12} {:>12}\n", "request", "share", "of sent", "sent", "ok");
  for (std::size_t i = 0; i < std::min(r.requests.size(), kRows); ++i) {
    const auto& request = r.requests[i];
    fmt::print("  {:<32.32} {:>8} {:>8} {:>12} {:>12}\n", request.name,
               format_percent(request.share),
               format_percent(static_cast<double>(request.sent) / sent), format_count(request.sent),
               format_count(request.ok));
  }
  if (r.requests.size() > kRows) {
    fmt::print("  ... and {} more: see --json\n", r.requests.size() - kRows);
  }
}

void print_summary(const LoadArguments& arguments, const SliceResult& r) {
  fmt::print("{} {} with {}, {} connections, {}\n", arguments.method, arguments.url,
             arguments.protocol, arguments.connections,
             arguments.closed_loop ? "closed loop"
                                   : fmt::format("{:g} requests/s {}, seed {}", arguments.rate,
                                                 arguments.arrivals, arguments.seed));
  fmt::print("  achieved {:.1f} requests/s over {}{}\n", r.achieved_rate,
             format_duration(r.duration_s), r.interrupted ? ", then interrupted" : "");
  fmt::print("  scheduled {} = sent {} + missed {} + expired {}   (blocked {})\n",
             format_count(r.scheduled), format_count(r.sent), format_count(r.missed),
             format_count(r.expired), format_count(r.blocked));
  fmt::print(
      "  sent {} = ok {} + bad status {} + reset {} + timeout {} + connection error {} + "
      "unfinished {}\n",
      format_count(r.sent), format_count(r.ok), format_count(r.bad_status), format_count(r.reset),
      format_count(r.timeout), format_count(r.connection_error), format_count(r.unfinished));
  for (const auto& [code, count] : r.status) {
    fmt::print("  status {}: {}\n", code, format_count(count));
  }
  for (const auto& [why, count] : r.failures) {
    fmt::print("  lost, {}: {}\n", why, format_count(count));
  }
  for (const auto& [why, count] : r.connection_failures) {
    fmt::print("  connections ended, {}: {}\n", why, format_count(count));
  }
  if (r.requests.size() > 1) print_mix(r);
  fmt::print(
      "  per connection {} to {} scheduled; {} connections made, {} full and {} resumed "
      "handshakes\n",
      r.per_connection_min, r.per_connection_max, r.connections_made, r.handshakes_full,
      r.handshakes_resumed);
  fmt::print("  {} in, {} out\n\n", format_bytes(static_cast<double>(r.bytes_in)),
             format_bytes(static_cast<double>(r.bytes_out)));
  fmt::print("  {:<18} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "us", "p50", "p90", "p99",
             "p99.9", "max", "mean");
  print_row("latency", r.latency);
  print_row("service", r.service);
  print_row("lateness", r.lateness);
  print_row("generator lateness", r.generator_lateness);
  const double sent = r.sent == 0 ? 1 : static_cast<double>(r.sent);
  fmt::print(
      "\n  client: {:.1f} us CPU and {:.2f} wakes per request, {}; {:.1f} requests per "
      "release\n",
      r.client_cpu_s * 1e6 / sent, static_cast<double>(r.client_wakes) / sent,
      arguments.spin ? "spinning between sends" : "asleep between sends",
      r.release_turns == 0 ? 0 : sent / static_cast<double>(r.release_turns));
}

int run_load(const LoadArguments& arguments, system::System& system) {
  const Result<SliceResult> result = measure(arguments, system);
  if (!result) return report_error(result.error());
  if (arguments.json) {
    Json json = to_json(*result);
    json["arrivals"] = arguments.closed_loop ? "closed-loop" : arguments.arrivals;
    json["seed"] = arguments.seed;
    json["waiting"] = arguments.spin ? "spinning" : "sleeping";
    std::fputs(dump(json).c_str(), stdout);
  } else {
    print_summary(arguments, *result);
  }
  if (result->interrupted) return exit_code(ErrorKind::kInterrupted);
  if (result->ok > 0) return 0;
  return report_error(fail(ErrorKind::kNetwork, "no request was answered with a 2xx or 3xx status",
                           "see the counts above: which status, or how the requests were lost")
                          .value());
}

void add_traffic_options(CLI::App* verb, LoadArguments* a) {
  verb->add_option("--rate", a->rate, "requests per second, over all connections");
  verb->add_option("--duration", a->duration, "measured time, as 10, 10s or 500ms")
      ->capture_default_str();
  verb->add_option("--warm-up", a->warm_up, "the same load before that, not measured")
      ->capture_default_str();
  verb->add_option("--arrivals", a->arrivals, "even, even:strict, poisson or burst:N")
      ->capture_default_str();
  verb->add_option("--seed", a->seed, "of the arrivals")->capture_default_str();
  verb->add_flag("--closed-loop", a->closed_loop,
                 "no rate: each free slot sends at once (for ceilings; its latency flatters)");
  verb->add_flag("--spin", a->spin, "never sleep between sends: takes a whole CPU");
  verb->add_option("--timeout", a->timeout, "of a request, from its due time")
      ->capture_default_str();
  verb->add_option("--threads", a->threads, "interleaved in phase, connections split between them")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option("--cpus", a->cpus, "where the threads run, as 0-3,6");
}

void add_connection_options(CLI::App* verb, LoadArguments* a) {
  verb->add_option("--connections", a->connections, "all are up before the clock starts")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  verb->add_option("--protocol", a->protocol,
                   "h1, h2, h3 (https only), or grpc: unary calls, the body is the message")
      ->check(CLI::IsMember({"h1", "h2", "h3", "grpc"}))
      ->capture_default_str();
  verb->add_option("--streams", a->streams, "HTTP/2 or 3 requests open at once on a connection")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--requests-per-connection", a->requests_per_connection,
                   "then it is closed and made again; 0: it is kept")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  auto* insecure = verb->add_flag("--insecure", a->insecure, "do not verify the certificate");
  verb->add_option("--cacert", a->cacert, "PEM file of trusted certificates")
      ->check(CLI::ExistingFile)
      ->excludes(insecure);
  verb->add_option("--sni", a->sni, "server name sent and verified, instead of the URL's host");
  verb->add_option("--connect", a->connect, "HOST:PORT to connect to, whatever the URL says");
}

void add_request_options(CLI::App* verb, LoadArguments* a) {
  verb->add_option("--method", a->method, "GET, HEAD, POST, ...")->capture_default_str();
  // One value each time, or the URL after it would be taken for another header.
  verb->add_option("--header", a->headers, "'Name: value'; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* size = verb->add_option("--body-size", a->body_size, "bytes of request body")
                   ->check(CLI::Range(0LL, traffic::load::kLargestBody));
  auto* body = verb->add_option("--body", a->body_file, "file with the request body")
                   ->check(CLI::ExistingFile)
                   ->excludes(size);
  verb->add_option("--requests", a->requests_file,
                   "file with a request mix: a JSON object a line, with method, path, headers, "
                   "body or body_size, share and name")
      ->check(CLI::ExistingFile)
      ->excludes(size)
      ->excludes(body);
}

}  // namespace

void add_load(CLI::App& app, system::System& system, int* exit_code) {
  auto* verb = app.add_subcommand("load", "requests at a set rate, and what became of each");
  auto arguments = std::make_shared<LoadArguments>();
  verb->add_option("URL", arguments->url, "http:// or https://")->required();
  add_traffic_options(verb, arguments.get());
  add_connection_options(verb, arguments.get());
  add_request_options(verb, arguments.get());
  verb->add_flag("--json", arguments->json, "print JSON");
  verb->footer(kLoadExamples);
  verb->callback([arguments, &system, exit_code] { *exit_code = run_load(*arguments, system); });
}

}  // namespace hone::cli
