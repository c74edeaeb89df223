// What the user sees while hone works: stages, lines, and progress with the time left: on a
// terminal one line that changes, elsewhere a line a minute.
#pragma once

#include <string>

#include "pipeline/observer.h"
#include "system/clock.h"

namespace hone::cli {

class Console final : public pipeline::Observer {
 public:
  // `quiet`: findings and errors only (--json).
  Console(const system::Clock* clock, bool quiet);
  ~Console() override;
  void stage(const std::string& name, double expected_s) override;
  void line(const std::string& text) override;
  void progress(const std::string& what, double done, double total) override;
  void finding(const Finding& finding) override;

 private:
  void print(const std::string& text);  // a whole line, above the progress line
  void clear_progress();
  std::string time_left(double done, double total);

  const system::Clock* clock_;
  bool quiet_;
  bool terminal_;
  bool colour_;
  bool progress_shown_ = false;
  // Where the present stretch of progress began, to tell the time left from its own pace.
  system::Instant pace_begin_{};
  double pace_done_ = 0;
  double pace_total_ = 0;
  system::Instant last_plain_{};
};

// Prints the error on standard error and returns its exit status.
int report_error(const Error& error);

}  // namespace hone::cli
