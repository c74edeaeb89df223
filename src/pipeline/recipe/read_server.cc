// [server]: how the subject is started, known to be ready, and stopped. Placeholders and files are
// looked at here, where the line that is wrong is known, not minutes later at the first start.
#include <array>

#include "pipeline/recipe/placeholders.h"
#include "pipeline/recipe/sections.h"
#include "pipeline/recipe/table_reader.h"
#include "subject/signals.h"

namespace hone::pipeline {
namespace {

constexpr int kWorkersLimit = 1024;
// A limit beyond an hour is a hang that nobody watches.
constexpr double kLimitS = 3600;
const char kTemplateEnding[] = ".mustache";

Status read_ready(const Node& table, subject::Ready* ready) {
  TableReader reader(table, "[server] ready");
  reader.text("http", &ready->http);
  reader.text("tcp", &ready->tcp);
  reader.duration("limit", {0, kLimitS, true, false}, &ready->limit_s);
  reader.one_of("http", "tcp", true);
  for (const char* key : {"http", "tcp"}) {
    if (const Node* url = table.find(key)) check_placeholders(*url, key, &reader);
  }
  const Node* http = table.find("http");
  if (http != nullptr && !ready->http.starts_with("http://") &&
      !ready->http.starts_with("https://")) {
    reader.fault(http->origin, "http in [server] ready must begin with http:// or https://",
                 "for example \"http://127.0.0.1:{port}/\"");
  }
  return reader.finish();
}

Status read_stop(const Node& table, subject::Stop* stop) {
  TableReader reader(table, "[server] stop");
  Node shortened = table;
  if (Node* signal = shortened.find("signal");
      signal != nullptr && signal->text.starts_with("SIG")) {
    signal->text.erase(0, 3);  // "SIGTERM" and "TERM" are the same to a reader
  }
  TableReader signal_reader(shortened, "[server] stop");
  signal_reader.choice("signal", "signal", subject::known_signals(), &stop->signal);
  signal_reader.node("post");
  signal_reader.node("limit");
  reader.node("signal");
  reader.text("post", &stop->post);
  reader.duration("limit", {0, kLimitS, true, false}, &stop->limit_s);
  reader.one_of("signal", "post", true);
  if (const Node* post = table.find("post")) check_placeholders(*post, "post", &reader);
  HONE_CHECK(reader.finish());
  return signal_reader.finish();
}

Status read_templates(const Node& array, const system::Path& folder, const system::Files& files,
                      std::vector<subject::FileTemplate>* templates) {
  for (const Node& item : array.items) {
    const system::Path path = folder / item.text;
    const auto text = files.read(path);
    if (!text) {
      return tl::make_unexpected(recipe_error(item.origin,
                                              "files in [server]: " + text.error().what,
                                              "file names are relative to the recipe's folder"));
    }
    std::string name = path.filename().string();
    if (name.ends_with(kTemplateEnding)) name.resize(name.size() - sizeof(kTemplateEnding) + 1);
    for (const subject::FileTemplate& other : *templates) {
      if (other.name != name) continue;
      return tl::make_unexpected(recipe_error(
          item.origin, "files in [server]: two of them become '" + name + "' in {run}"));
    }
    templates->push_back({name, *text});
  }
  return {};
}

}  // namespace

Status read_server(const Node& table, const system::Path& folder, const system::Files& files,
                   subject::ServerSpec* server) {
  TableReader reader(table, "[server]");
  std::vector<std::string> file_names;
  reader.texts("command", &server->command);
  reader.text_map("env", &server->env);
  reader.integer("workers", 1, kWorkersLimit, &server->workers);
  reader.text("user", &server->user);
  const Node* ready = reader.node("ready", Node::Kind::kTable);
  const Node* stop = reader.node("stop", Node::Kind::kTable);
  reader.texts("files", &file_names);
  reader.require("command",
                 "the words that start it, for example [\"{binary}\", \"--port={port}\"]");
  for (const char* key : {"command", "env"}) {
    if (const Node* node = table.find(key)) check_placeholders(*node, key, &reader);
  }
  const Node* command = table.find("command");
  if (command != nullptr && command->kind == Node::Kind::kArray &&
      (server->command.empty() || server->command[0].empty())) {
    reader.fault(command->origin, "command in [server] is empty");
  }
  HONE_CHECK(reader.finish());
  if (ready != nullptr) HONE_CHECK(read_ready(*ready, &server->ready));
  if (stop != nullptr) HONE_CHECK(read_stop(*stop, &server->stop));
  if (!file_names.empty()) {
    HONE_CHECK(read_templates(*table.find("files"), folder, files, &server->files));
  }
  return {};
}

}  // namespace hone::pipeline
