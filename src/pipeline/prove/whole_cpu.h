// A second view of cost, from the other end: not what the kernel charged to an arm's threads, but
// what its load left for others of the server's CPUs. The idle spinner turns a fixed loop whenever
// nothing else runs; the turns that are missing against an idle CPU are the time that was not to be
// had, and that includes work in soft interrupts, which is charged to nobody or to whoever was
// running.
#pragma once

#include <cstdint>

namespace hone::pipeline {

// The spinner's turns over a stretch of wall time, all of the server's CPUs together.
struct SpunStretch {
  double wall_s = 0;
  std::uint64_t turns = 0;
};

// wall x CPUs - turns / (turns per second of an idle CPU), not below 0; 0 where `idle` has no
// turns. `idle`: a stretch in which nothing ran but the kernel's housekeeping, which so counts for
// nobody.
double unavailable_cpu_s(const SpunStretch& loaded, const SpunStretch& idle, int cpus);

}  // namespace hone::pipeline
