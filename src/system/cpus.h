// CPU sets: which CPUs hone may use, and putting threads on them.
#pragma once

#include <pthread.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace hone::system {

std::vector<int> allowed_cpus();  // of the calling process, sorted
Status pin_thread(pthread_t thread, const std::vector<int>& cpus);
Status pin_this_thread(const std::vector<int>& cpus);              // empty: no change
Result<std::vector<int>> parse_cpu_list(const std::string& list);  // "0-3,6", as in taskset -c
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace hone::system
