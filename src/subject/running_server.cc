#include "subject/running_server.h"

#include <algorithm>

#include "subject/signals.h"
#include "subject/template.h"
#include "subject/url.h"
#include "system/interrupt.h"
#include "system/net/socket.h"

namespace hone::subject {
namespace {

// Readiness is asked for this often: short against any server's start, long against its cost.
constexpr double kReadyPollS = 0.01;
// One readiness question may take this long; a server that accepts but hangs is asked again.
constexpr double kReadyQuestionS = 1.0;
// Lines of a dead server's output that its error message quotes.
constexpr std::size_t kQuotedLines = 6;

}  // namespace

Result<std::unique_ptr<RunningServer>> RunningServer::start(const ServerStart& start,
                                                            system::System* system) {
  std::unique_ptr<RunningServer> server(new RunningServer);
  server->system_ = system;
  server->name_ = start.name;
  server->spec_ = start.spec;
  server->placeholders_ = start.placeholders;
  server->log_ = start.run_dir / "output.log";
  HONE_CHECK(server->write_files(start));
  if (!start.spec.user.empty()) {
    HONE_CHECK(system->files->set_owner(start.run_dir, start.spec.user));
  }
  HONE_CHECK(server->launch(start));
  HONE_CHECK(server->wait_until_ready(start));
  HONE_CHECK(server->check_port_owner(start));
  return server;
}

Status RunningServer::write_files(const ServerStart& start) {
  for (const FileTemplate& file : start.spec.files) {
    HONE_TRY(const std::string text, render(file, start.placeholders, start.config));
    HONE_CHECK(system_->files->write(start.run_dir / file.name, text));
  }
  return {};
}

Status RunningServer::launch(const ServerStart& start) {
  if (!system::net::port_is_free(start.port)) {
    const std::string holder = system_->process_table->listener_of(start.port);
    return fail(ErrorKind::kPortTaken,
                "port " + std::to_string(start.port) + ", where " + name_ +
                    " should listen, is taken" + (holder.empty() ? "" : " by " + holder),
                "end that process, or leave the port to hone by writing {port}");
  }
  system::Command command;
  HONE_TRY(command.argv, fill(start.spec.command, start.placeholders));
  if (command.argv.empty()) {
    return fail(ErrorKind::kRecipe, "the command that starts " + name_ + " is empty",
                "set [server] command");
  }
  for (const auto& [key, value] : start.spec.env) {
    HONE_TRY(command.env[key], fill(value, start.placeholders));
  }
  for (const auto& [key, value] : start.env) command.env[key] = value;
  command.cwd = start.run_dir;
  command.output = log_;
  command.cpus = start.cpus;
  command.user = start.spec.user;
  command.own_cgroup = true;
  HONE_TRY(child_, system_->processes->start(command));
  return {};
}

Status RunningServer::wait_until_ready(const ServerStart& start) {
  const Ready& ready = start.spec.ready;
  const bool by_http = !ready.http.empty();
  Url url;
  const std::string& host = start.placeholders.at("host");
  HONE_TRY(system::net::Address address, system::net::resolve(host, start.port));
  if (by_http) {
    HONE_TRY(const std::string text, fill(ready.http, start.placeholders));
    HONE_TRY(url, parse_url(text));
    HONE_TRY(address, system::net::resolve(url.host, url.port));
  } else if (!ready.tcp.empty()) {
    HONE_TRY(const std::string text, fill(ready.tcp, start.placeholders));
    HONE_TRY(address, system::net::parse_address(text));
  }
  ready_port_ = address.port;
  const auto begin = system_->clock->now();
  std::string last = "it never accepted a connection";
  for (;;) {
    HONE_CHECK(system::check_interrupted());
    if (child_->exited()) return tl::make_unexpected(died("before it was ready"));
    const double waited = system::to_seconds(system_->clock->now() - begin);
    if (waited > ready.limit_s) break;
    const double limit = std::min(kReadyQuestionS, ready.limit_s);
    if (!by_http || url.tls) {
      if (system::net::tcp_accepts(address, limit)) {
        ready_after_s_ = system::to_seconds(system_->clock->now() - begin);
        return {};
      }
    } else {
      const auto reply = system::net::http_exchange("GET", address, url.path, limit);
      if (reply.status > 0 && reply.status < 500) {
        ready_after_s_ = system::to_seconds(system_->clock->now() - begin);
        return {};
      }
      last = reply.status > 0 ? "its last answer was status " + std::to_string(reply.status)
                              : reply.error;
    }
    system_->clock->sleep(system::seconds(kReadyPollS));
  }
  return fail(ErrorKind::kNotReady,
              name_ + " was not ready after " + std::to_string(static_cast<int>(ready.limit_s)) +
                  " s (" + (by_http ? ready.http : to_string(address)) + "): " + last +
                  last_lines(),
              "read its log; raise [server] ready.limit when it only needs longer", log_.string());
}

// Readiness may have been told by somebody else's server: on a port that the command fixes, or that
// was taken between our look and its start.
Status RunningServer::check_port_owner(const ServerStart& start) {
  for (const std::uint16_t port : {ready_port_, start.port}) {
    HONE_TRY(const bool own, system_->process_table->owns_listener(tree_root(), port));
    if (own) continue;
    const std::string holder = system_->process_table->listener_of(port);
    if (holder.empty()) {
      return fail(ErrorKind::kNotReady,
                  name_ + " is ready, but does not listen on port " + std::to_string(port) +
                      " of " + start.placeholders.at("host") + ", where its traffic goes",
                  "check that the command listens on {host} and {port} (TLS: {port_tls})",
                  log_.string());
    }
    return fail(ErrorKind::kPortTaken,
                "port " + std::to_string(port) + " answers, but it is " + holder +
                    " that listens there, not " + name_,
                "end that process, or leave the port to hone by writing {port}", log_.string());
  }
  return {};
}

std::vector<pid_t> RunningServer::processes() const {
  std::vector<pid_t> pids;
  if (const auto tree = system_->process_table->tree(tree_root())) {
    for (const auto& process : *tree) {
      if (process.state != 'Z') pids.push_back(process.pid);
    }
  }
  return pids;
}

std::string RunningServer::last_lines() const {
  const auto text = system_->files->read(log_);
  if (!text || trim(*text).empty()) return "\n  (it printed nothing)";
  std::vector<std::string> lines = split(trim(*text), '\n');
  const std::size_t from = lines.size() > kQuotedLines ? lines.size() - kQuotedLines : 0;
  std::string quoted;
  for (std::size_t i = from; i < lines.size(); ++i) quoted += "\n  | " + lines[i];
  return quoted;
}

Error RunningServer::died(const std::string& when) {
  const auto exit = child_->exited();
  const std::string lines = last_lines();
  Error error;
  error.kind = ErrorKind::kSubjectDied;
  error.what = name_ + " ended " + when + " (" + (exit ? describe(*exit) : "unknown") + ")" + lines;
  error.next = "read its log; start the command by hand to see the reason";
  error.log_file = log_.string();
  // The words of bind(2)'s EADDRINUSE, which servers pass on.
  if (lines.find("in use") != std::string::npos) {
    error.kind = ErrorKind::kPortTaken;
    const std::string holder = system_->process_table->listener_of(ready_port_);
    if (!holder.empty()) {
      error.what += "\n  port " + std::to_string(ready_port_) + " is taken by " + holder;
    }
    error.next = "end the process that holds the port, or leave the port to hone with {port}";
  }
  return error;
}

Status RunningServer::check_alive() {
  if (child_->exited()) return tl::make_unexpected(died("by itself"));
  return {};
}

Status RunningServer::stop() {
  if (child_->exited()) {
    child_->end();
    return {};
  }
  if (!spec_.stop.post.empty()) {
    HONE_TRY(const std::string text, fill(spec_.stop.post, placeholders_));
    HONE_TRY(const Url url, parse_url(text));
    HONE_TRY(const auto address, system::net::resolve(url.host, url.port));
    system::net::http_exchange("POST", address, url.path, spec_.stop.limit_s);
  } else {
    const int number = signal_number(spec_.stop.signal);
    if (number == 0) {
      return fail(ErrorKind::kRecipe,
                  "[server] stop.signal '" + spec_.stop.signal + "' is not the name of a signal",
                  "known: " + join(known_signals(), ", "));
    }
    HONE_CHECK(child_->signal(number));
  }
  HONE_TRY(const auto exit, child_->wait(system::seconds(spec_.stop.limit_s)));
  child_->end();
  if (!exit) {
    return fail(ErrorKind::kTimeout,
                name_ + " did not end within " +
                    std::to_string(static_cast<int>(spec_.stop.limit_s)) +
                    " s of being told to; it was killed",
                "set [server] stop to what ends it, or raise stop.limit", log_.string());
  }
  return {};
}

}  // namespace hone::subject
