// A second view of cost, from the other end: not what the kernel charged to an arm's threads, but
// what its load left for others of the server's CPUs. The idle spinner turns a fixed loop whenever
// nothing else runs; the turns that are missing against an idle CPU are the time that was not to be
// had, and that includes work in soft interrupts, which is charged to nobody or to whoever was
// running.
#pragma once

#include <cstdint>

#include "system/clock.h"
#include "system/idle_spinner.h"

namespace hone::pipeline {

// The spinner's turns over a stretch of wall time, all of the server's CPUs together.
struct SpunStretch {
  double wall_s = 0;
  std::uint64_t turns = 0;
};

// Since any fixed moment; the turns stand still without a `spinner`.
SpunStretch spun_so_far(const system::IdleSpinner* spinner, const system::Clock&);
SpunStretch between(const SpunStretch& begin, const SpunStretch& end);

// wall x CPUs - turns / (turns per second of an idle CPU), not below 0; 0 where `idle` has no
// turns. `idle`: a stretch in which nothing ran but the kernel's housekeeping, which so counts for
// nobody.
double unavailable_cpu_s(const SpunStretch& loaded, const SpunStretch& idle, int cpus);

}  // namespace hone::pipeline
