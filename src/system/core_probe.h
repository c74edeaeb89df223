// Do two CPUs share a core, and does one keep its speed? The kernel of a virtual machine often does
// not know; time does.
#pragma once

#include <vector>

#include "base/error.h"
#include "system/clock.h"

namespace hone::system {

// How fast a loop runs on `cpu` while `other` runs it too, over its speed while `other` rests: near
// 1 on cores of their own; two threads of one core leave each other 0.5 to 0.65, because the loop
// keeps the execution units full. In turns of the loop per CPU time, medians over windows, so that
// neither a busy neighbour nor a tick decides. Takes `limit` or a little more.
Result<double> speed_beside(int cpu, int other, Duration limit);

// The same loop alone on `cpu`, its turns per second of CPU time in each of `windows` stretches
// that follow each other; a window is at least a tick of 4 ms, so that one interrupt is no change
// of speed.
Result<std::vector<double>> speeds_alone(int cpu, Duration window, int windows);

}  // namespace hone::system
