// One server process tree: started, known to be ready, stopped. No traffic.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "subject/server_spec.h"
#include "system/system.h"

namespace hone::subject {

struct ServerStart {
  std::string name;  // in errors
  ServerSpec spec;
  Json config;                // for the templates
  Placeholders placeholders;  // {host}, {port} and the rest, {run} included
  std::uint16_t port = 0;     // the one that traffic will use
  system::Path run_dir;       // exists; templates and output.log go there
  std::vector<int> cpus;
  std::map<std::string, std::string> env;  // added to spec.env
};

class RunningServer {
 public:
  // Ready when it returns. Errors: kPortTaken, kNotReady, kSubjectDied with the log's last lines.
  static Result<std::unique_ptr<RunningServer>> start(const ServerStart&, system::System*);

  pid_t tree_root() const { return child_->supervisor_pid(); }
  std::vector<pid_t> processes() const;
  double ready_after_s() const { return ready_after_s_; }
  const system::Path& log() const { return log_; }
  Status check_alive();
  Status stop();  // as spec.stop says; kTimeout when it had to be killed

 private:
  RunningServer() = default;
  Status write_files(const ServerStart&);
  Status launch(const ServerStart&);
  Status wait_until_ready(const ServerStart&);
  Status check_port_owner(const ServerStart&);
  Error died(const std::string& when);
  std::string last_lines() const;

  system::System* system_ = nullptr;
  std::string name_;
  ServerSpec spec_;
  Placeholders placeholders_;
  std::uint16_t ready_port_ = 0;  // that readiness is asked at: the user may have fixed it
  system::Path log_;
  std::unique_ptr<system::Child> child_;
  double ready_after_s_ = 0;
};

}  // namespace hone::subject
