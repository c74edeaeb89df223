// Where stack, heap and libraries lie moves a server's cost by a per cent or two. With random
// addresses every round draws anew and the luck averages out; without, all rounds repeat one draw
// per arm and the luck looks like an effect.
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_aslr(const system::Files& files) {
  if (read_trimmed(files, "/proc/sys/kernel/randomize_va_space") != "0") return std::nullopt;
  return Finding{"machine.aslr", "warning",
                 "addresses are not random here (ASLR is off): every round repeats the same memory "
                 "layout, and its luck does not average out",
                 "sysctl kernel.randomize_va_space=2"};
}

}  // namespace hone::measure
