#include "pipeline/train/flush_control.h"

#include <algorithm>

#include "base/text.h"
#include "flush/flush.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

// Writing the profile of the largest servers (100 MB) takes about a second.
constexpr double kAnswerLimitS = 10;
// The library is there before main(): a process of a ready subject that is silent for so long has
// not loaded it.
constexpr double kSilenceS = 1;
constexpr double kPollS = 0.005;

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

}  // namespace

FlushControl::FlushControl(system::Path folder, const system::Files* files, system::Clock* clock,
                           Processes processes, Send send)
    : folder_(std::move(folder)),
      files_(files),
      clock_(clock),
      processes_(std::move(processes)),
      send_(std::move(send)) {}

std::vector<std::string> FlushControl::names() const {
  std::vector<std::string> names;
  if (const auto paths = files_->list(folder_)) {
    for (const system::Path& path : *paths) names.push_back(path.filename().string());
  }
  return names;
}

Result<FlushControl::Served> FlushControl::wait_until_served() {
  const auto begin = clock_->now();
  for (;;) {
    HONE_CHECK(system::check_interrupted());
    Served served;
    bool refused = false;
    for (const pid_t pid : processes_()) {
      const std::string number = std::to_string(pid);
      if (files_->exists(folder_ / (number + HONE_FLUSH_READY_SUFFIX))) {
        served.ready.push_back(pid);
      } else if (files_->exists(folder_ / (number + HONE_FLUSH_REFUSED_SUFFIX))) {
        refused = true;
      } else {
        served.silent.push_back(pid);
      }
    }
    const double waited = system::to_seconds(clock_->now() - begin);
    // A process that forks or execs looks silent for a moment, hence no verdict on the first look.
    if (served.silent.empty() && (!served.ready.empty() || refused)) return served;
    if (waited >= kSilenceS) return served;
    clock_->sleep(system::seconds(kPollS));
  }
}

Status FlushControl::request(const std::vector<pid_t>& pids, int number, const std::string& suffix,
                             const std::string& what) {
  HONE_CHECK(send_(pids, number));
  const auto begin = clock_->now();
  std::vector<pid_t> waiting = pids;
  for (;;) {
    HONE_CHECK(system::check_interrupted());
    const std::vector<pid_t> living = processes_();
    for (const pid_t pid : pids) {
      if (!contains(waiting, pid)) continue;
      // The first request of its kind, hence 1.
      const auto answer = files_->read(folder_ / (std::to_string(pid) + suffix + "1"));
      if (!answer && contains(living, pid)) continue;
      std::erase(waiting, pid);
      if (!answer || answer->starts_with("ok")) continue;
      const std::vector<std::string> reasons = refusals();
      return fail(ErrorKind::kLegFailed,
                  "process " + std::to_string(pid) + " could not " + what + " its profile (" +
                      trim(*answer) + ")" + (reasons.empty() ? "" : ": " + join(reasons, "; ")),
                  "look for a full disk or a missing right in its log");
    }
    if (waiting.empty()) return {};
    if (system::to_seconds(clock_->now() - begin) >= kAnswerLimitS) break;
    clock_->sleep(system::seconds(kPollS));
  }
  return fail(ErrorKind::kLegFailed,
              "process " + std::to_string(waiting.front()) + " did not " + what +
                  " its profile within " + std::to_string(static_cast<int>(kAnswerLimitS)) + " s",
              "the subject may block real-time signals or be stuck: read its log");
}

Status FlushControl::reset(const std::vector<pid_t>& pids) {
  return request(pids, HONE_FLUSH_RESET_SIGNAL, HONE_FLUSH_RESET_SUFFIX, "reset");
}

Status FlushControl::write(const std::vector<pid_t>& pids) {
  return request(pids, HONE_FLUSH_WRITE_SIGNAL, HONE_FLUSH_WRITTEN_SUFFIX, "write");
}

std::set<std::string> FlushControl::profiles() const {
  std::set<std::string> found;
  for (const std::string& name : names()) {
    if (name.ends_with(".profraw")) found.insert(name);
  }
  return found;
}

std::vector<pid_t> FlushControl::ready() const {
  std::vector<pid_t> pids;
  for (const std::string& name : names()) {
    if (!name.ends_with(HONE_FLUSH_READY_SUFFIX)) continue;
    const auto pid = parse_integer(name.substr(0, name.find('.')));
    if (pid) pids.push_back(static_cast<pid_t>(*pid));
  }
  return pids;
}

std::vector<std::string> FlushControl::refusals() const {
  std::vector<std::string> lines;
  for (const std::string& name : names()) {
    if (!name.ends_with(HONE_FLUSH_REFUSED_SUFFIX)) continue;
    const auto text = files_->read(folder_ / name);
    if (!text) continue;
    for (const std::string& line : split(trim(*text), '\n')) {
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace hone::pipeline
