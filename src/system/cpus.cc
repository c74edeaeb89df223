#include "system/cpus.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "system/os_error.h"

namespace hone::system {
namespace {

// The largest number of CPUs a Linux kernel is built for (CONFIG_NR_CPUS on x86-64).
constexpr int kMostCpus = 8192;

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeSet>;

CpuSet empty_set() {
  CpuSet set(CPU_ALLOC(kMostCpus));
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMostCpus), set.get());
  return set;
}

Result<int> parse_cpu(const std::string& text, const std::string& list) {
  const Result<long long> number = parse_integer(text);
  if (!number || *number < 0 || *number >= kMostCpus)
    return fail(ErrorKind::kUsage, "\"" + text + "\" is not a CPU number in \"" + list + "\"",
                "write CPUs as 0-3,6");
  return static_cast<int>(*number);
}

}  // namespace

std::vector<int> allowed_cpus() {
  CpuSet set = empty_set();
  std::vector<int> cpus;
  // The process's own id stands for its main thread: a thread of hone that is pinned to one CPU
  // still sees what hone may use.
  if (::sched_getaffinity(::getpid(), CPU_ALLOC_SIZE(kMostCpus), set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), CPU_ALLOC_SIZE(kMostCpus), set.get()))
      cpus.push_back(cpu);
  return cpus;
}

Status pin_thread(pthread_t thread, const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  CpuSet set = empty_set();
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= kMostCpus)
      return fail(ErrorKind::kUsage, "there is no CPU " + std::to_string(cpu));
    CPU_SET_S(static_cast<std::size_t>(cpu), CPU_ALLOC_SIZE(kMostCpus), set.get());
  }
  const int error = ::pthread_setaffinity_np(thread, CPU_ALLOC_SIZE(kMostCpus), set.get());
  if (error != 0)
    return fail(ErrorKind::kUsage,
                "cannot use CPU " + format_cpu_list(cpus) + ": " + os_message(error),
                "this process may use CPU " + format_cpu_list(allowed_cpus()));
  return {};
}

Status pin_this_thread(const std::vector<int>& cpus) { return pin_thread(::pthread_self(), cpus); }

Result<std::vector<int>> parse_cpu_list(const std::string& list) {
  std::vector<int> cpus;
  for (const std::string& part : split(list, ',')) {
    const std::vector<std::string> ends = split(part, '-');
    HONE_TRY(const int first, parse_cpu(trim(ends.front()), list));
    HONE_TRY(const int last, parse_cpu(trim(ends.back()), list));
    if (ends.size() > 2 || last < first)
      return fail(ErrorKind::kUsage,
                  fmt::format("\"{}\" is not a range of CPUs in \"{}\"", part, list),
                  "write CPUs as 0-3,6");
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    parts.push_back(std::to_string(cpus[i]));
    if (last > i) parts.back().append("-").append(std::to_string(cpus[last]));
    i = last + 1;
  }
  return join(parts, ",");
}

}  // namespace hone::system
