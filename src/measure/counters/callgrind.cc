// Two whole runs and their difference, instead of dumps in mid-run: those need callgrind_control,
// which wakes a sleeping server through ptrace, and containers forbid that.
#include "measure/counters/callgrind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/text.h"

namespace hone::measure {
namespace {

constexpr const char* kOutputStem = "callgrind.out.";

tl::unexpected<Error> no_simulation(const std::string& why) {
  return fail(ErrorKind::kNotFound, why);
}

// The names of "events:" with the figures of "totals:", by the format that valgrind's manual calls
// callgrind format, version 1. Empty where either is missing.
std::map<std::string, double> totals_of(const std::string& text) {
  std::map<std::string, double> totals;
  std::vector<std::string> names;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "events:") {
      for (std::string name; words >> name;) names.push_back(name);
    } else if (key == "totals:") {
      for (const std::string& name : names) {
        double figure = 0;
        // Counts of a line's end that are zero are left out.
        totals[name] = words >> figure ? figure : 0;
      }
    }
  }
  return totals;
}

}  // namespace

std::vector<std::string> callgrind_words(const system::Path& valgrind, const system::Path& folder) {
  return {valgrind.string(), "--tool=callgrind", "--cache-sim=yes", "--trace-children=yes",
          // The totals alone are read: no figures by line.
          "--dump-line=no", "--quiet",
          "--callgrind-out-file=" + (folder / kOutputStem).string() + "%p"};
}

Result<CallgrindRun> read_callgrind(const system::Files& files, const system::Path& folder) {
  CallgrindRun run;
  HONE_TRY(const std::vector<system::Path> paths, files.list(folder));
  for (const system::Path& path : paths) {
    if (!path.filename().string().starts_with(kOutputStem)) continue;
    HONE_TRY(const std::string text, files.read(path));
    const std::map<std::string, double> totals = totals_of(text);
    const auto of = [&totals](const char* name) {
      const auto found = totals.find(name);
      return found == totals.end() ? 0 : found->second;
    };
    if (of("Ir") <= 0)
      return no_simulation("a process was killed before callgrind wrote its counts");
    run.counts.instructions += of("Ir");
    run.counts.l1i_misses += of("I1mr");
    run.counts.ll_misses += of("ILmr") + of("DLmr") + of("DLmw");
    ++run.processes;
  }
  if (run.processes == 0) {
    return no_simulation("callgrind wrote nothing: the server did not end by itself when told to");
  }
  return run;
}

Result<SimulatedCounts> per_request(const CallgrindRun& fewer, double requests_fewer,
                                    const CallgrindRun& more, double requests_more) {
  // A forked child begins with its parent's counts. Of those that are there from the start, the
  // difference between two runs is free of it.
  if (fewer.processes != more.processes) {
    return no_simulation("the server starts processes as it is asked");
  }
  const double requests = requests_more - requests_fewer;
  const double instructions = more.counts.instructions - fewer.counts.instructions;
  if (requests <= 0 || instructions <= 0) {
    return no_simulation("under callgrind, more time did not mean more requests");
  }
  const auto each = [requests](double a, double b) { return std::max(0.0, (b - a) / requests); };
  return SimulatedCounts{instructions / requests,
                         each(fewer.counts.l1i_misses, more.counts.l1i_misses),
                         each(fewer.counts.ll_misses, more.counts.ll_misses)};
}

}  // namespace hone::measure
