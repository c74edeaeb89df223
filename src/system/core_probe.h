// Do two CPUs share a core? The kernel of a virtual machine often does not know; time does.
#pragma once

#include "base/error.h"
#include "system/clock.h"

namespace hone::system {

// How fast a loop runs on `cpu` while `other` runs it too, over its speed while `other` rests: near
// 1 on cores of their own; two threads of one core leave each other 0.5 to 0.65, because the loop
// keeps the execution units full. In turns of the loop per CPU time, medians over windows, so that
// neither a busy neighbour nor a tick decides. Takes `limit` or a little more.
Result<double> speed_beside(int cpu, int other, Duration limit);

}  // namespace hone::system
