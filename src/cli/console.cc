#include "cli/console.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/units.h"
#include "system/terminal.h"

namespace hone::cli {
namespace {
constexpr int kStderr = 2;
// Where there is no terminal: often enough to see in a log that hone lives, seldom enough to read
// it.
constexpr double kPlainProgressS = 60;
}  // namespace

Console::Console(const system::Clock* clock, bool quiet)
    : clock_(clock),
      quiet_(quiet),
      terminal_(system::is_terminal(kStderr)),
      colour_(system::wants_colour(kStderr)) {}

Console::~Console() { clear_progress(); }

void Console::clear_progress() {
  if (!progress_shown_) return;
  std::fputs("\r\x1b[K", stderr);
  progress_shown_ = false;
}

void Console::print(const std::string& text) {
  clear_progress();
  std::fputs((text + "\n").c_str(), stderr);
  std::fflush(stderr);
}

void Console::stage(const std::string& name, double expected_s) {
  if (quiet_) return;
  std::string text = "== " + name;
  if (expected_s >= 1) text += " (about " + format_duration(expected_s) + ")";
  print(colour_ ? "\x1b[1m" + text + "\x1b[0m" : text);
  pace_total_ = 0;
  last_plain_ = clock_->now();
}

void Console::line(const std::string& text) {
  if (!quiet_) print("   " + text);
}

void Console::finding(const Finding& finding) {
  const std::string mark = finding.severity == "info" ? "note" : finding.severity;
  if (quiet_ && finding.severity == "info") return;
  const char* colour = finding.severity == "info" ? "\x1b[2m" : "\x1b[33m";
  std::string text = "   " + mark + ": " + finding.text;
  if (!finding.advice.empty()) text += "; " + finding.advice;
  print(colour_ ? colour + text + "\x1b[0m" : text);
}

std::string Console::time_left(double done, double total) {
  const auto now = clock_->now();
  if (total != pace_total_ || done < pace_done_) {
    pace_begin_ = now;
    pace_done_ = done;
    pace_total_ = total;
  }
  if (done <= pace_done_) return "";
  const double each = system::to_seconds(now - pace_begin_) / (done - pace_done_);
  return ", " + format_duration(each * (total - done)) + " left";
}

void Console::progress(const std::string& what, double done, double total) {
  if (quiet_) return;
  std::string text = "   " + what;
  if (total > 1) text += fmt::format(" ({:.0f} of {:.0f}{})", done, total, time_left(done, total));
  if (!terminal_) {
    const auto now = clock_->now();
    if (system::to_seconds(now - last_plain_) < kPlainProgressS) return;
    last_plain_ = now;
    print(text);
    return;
  }
  const auto width = static_cast<std::size_t>(system::terminal_width(kStderr) - 1);
  std::fputs(("\r" + text.substr(0, width) + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  progress_shown_ = true;
}

int report_error(const Error& error) {
  std::fputs(describe(error).c_str(), stderr);
  return exit_code(error.kind);
}

}  // namespace hone::cli
