// What requests cost on a simulated CPU: valgrind's callgrind counts the instructions of user mode,
// with no hardware counters, and plays them through caches of the sizes of this machine.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "system/files.h"

namespace hone::measure {

struct SimulatedCounts {
  double instructions = 0;
  double l1i_misses = 0;  // instruction fetches that miss the first cache
  double ll_misses = 0;   // fetches, reads and writes that miss the last one
};
HONE_JSON(SimulatedCounts)

// What goes before a command's words, so that each process of its tree leaves its counts in
// `folder` when it ends. `valgrind`: the program.
std::vector<std::string> callgrind_words(const system::Path& valgrind, const system::Path& folder);

struct CallgrindRun {
  SimulatedCounts counts;  // of all processes
  std::size_t processes = 0;
};
// What is in that folder. kNotFound where a process left nothing, or not all of it: it was killed.
Result<CallgrindRun> read_callgrind(const system::Files&, const system::Path& folder);

// Of one request, from two runs that differ in the number of requests: what starting and ending
// cost falls out. kNotFound where the figures do not bear it, with the reason for a reader.
Result<SimulatedCounts> per_request(const CallgrindRun& fewer, double requests_fewer,
                                    const CallgrindRun& more, double requests_more);

}  // namespace hone::measure
