// hone's side of a supervised command: starts the supervisor and reads what it reports.
#pragma once

#include <memory>
#include <optional>

#include "system/descriptor.h"
#include "system/processes.h"
#include "system/supervision.h"

namespace hone::system {

// Our ends of the command's own streams; open only when asked for.
struct Pipes {
  Descriptor in;  // to its standard input
  Descriptor out;
  Descriptor err;
};

class SupervisedChild final : public Child {
 public:
  // `pipes`, when given, gets standard output, standard error too when the order names no file, and
  // standard input where the order has it.
  static Result<std::unique_ptr<SupervisedChild>> start(Order order, Pipes* pipes);
  ~SupervisedChild() override;

  pid_t pid() const override { return command_; }
  pid_t supervisor_pid() const override { return supervisor_; }
  std::optional<Exit> exited() override;
  Status signal(int number) override;
  Result<std::optional<Exit>> wait(Duration limit) override;
  void end() override;

  int channel() const { return channel_.fd(); }  // readable when there is something to report
  Exit whole() const;  // after end(): the command's exit with what its descendants used

 private:
  SupervisedChild() = default;
  Status spawn(const Order& order, Pipes* pipes);
  Status await_start(const std::string& program);
  void read_reports();
  void take_report(const Json& report);
  void reap_supervisor();

  Descriptor channel_;
  LineBuffer reports_;
  pid_t supervisor_ = 0;
  pid_t command_ = 0;
  bool reaped_ = false;         // the supervisor has been waited for
  bool channel_ended_ = false;  // the supervisor has ended, or is about to
  std::optional<Error> error_;  // why the command could not be started
  std::optional<Exit> exit_;
  std::optional<Ending> ended_;
};

}  // namespace hone::system
