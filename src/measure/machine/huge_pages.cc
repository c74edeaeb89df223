// With transparent huge pages for everyone the kernel merges pages in the background whenever it
// finds the time: two lifetimes of one binary then differ in page faults and TLB misses by luck.
// Rounds with fresh processes average it; it shows as noise between rounds.
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_huge_pages(const system::Files& files) {
  const system::Path file = "/sys/kernel/mm/transparent_hugepage/enabled";
  const auto text = read_trimmed(files, file);
  if (!text || chosen(*text) != "always") return std::nullopt;
  return Finding{
      "machine.huge-pages", "info",
      "transparent huge pages are on for every process: costs differ more between rounds",
      "echo madvise > " + file.string()};
}

}  // namespace hone::measure
