// A page that comes back from swap costs the server a fault that its rival may not have had.
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_swap(const system::Files& files) {
  const auto text = read_trimmed(files, "/proc/swaps");
  if (!text) return std::nullopt;
  double used_kib = 0;
  for (const std::string& line : split(*text, '\n')) {
    // "Filename Type Size Used Priority", in KiB (proc(5)); the first line is the heading.
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 5 && words[0] != "Filename") used_kib += parse_double(words[3]).value_or(0);
  }
  if (used_kib <= 0) return std::nullopt;
  return Finding{"machine.swap", "warning",
                 fmt::format("{} are swapped out", format_bytes(used_kib * 1024)),
                 "free some memory, then swapoff -a"};
}

}  // namespace hone::measure
