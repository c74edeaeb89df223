// Memory of another node is reached half as fast. A server that spans nodes finds its data near or
// far by luck of each lifetime; between server and load on different nodes every byte of loopback
// traffic crosses; and automatic balancing moves pages by faults whose cost the server bears.
#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"
#include "system/cpus.h"

namespace hone::measure {
namespace {

std::map<int, int> node_of_cpu(const system::Files& files) {
  std::map<int, int> nodes;
  const auto folders = files.list("/sys/devices/system/node");
  if (!folders) return nodes;
  for (const system::Path& folder : *folders) {
    const std::string name = folder.filename();
    const Result<long long> node =
        name.rfind("node", 0) == 0 ? parse_integer(name.substr(4)) : Result<long long>(-1);
    const auto list = read_trimmed(files, folder / "cpulist");
    // A node of memory alone has an empty list.
    if (!node || *node < 0 || !list || list->empty()) continue;
    const Result<std::vector<int>> cpus = system::parse_cpu_list(*list);
    if (!cpus) continue;
    for (const int cpu : *cpus) nodes[cpu] = static_cast<int>(*node);
  }
  return nodes;
}

std::set<int> nodes_of(const std::map<int, int>& nodes, const std::vector<int>& cpus) {
  std::set<int> result;
  for (const int cpu : cpus) {
    if (const auto found = nodes.find(cpu); found != nodes.end()) result.insert(found->second);
  }
  return result;
}

}  // namespace

std::optional<Finding> check_numa(const system::Files& files, const CpuRoles& roles) {
  const std::map<int, int> nodes = node_of_cpu(files);
  const std::set<int> server = nodes_of(nodes, roles.server);
  if (server.size() > 1) {
    return Finding{"machine.numa", "warning",
                   fmt::format("the server's CPUs ({}) lie on {} NUMA nodes: whether its memory is "
                               "near is luck of each start",
                               system::format_cpu_list(roles.server), server.size()),
                   "choose CPUs of one node with [prove] cpus (lscpu shows nodes)"};
  }
  if (nodes_of(nodes, roles.all()).size() > 1) {
    return Finding{"machine.numa", "info",
                   "load and server lie on different NUMA nodes: every byte between them crosses, "
                   "which costs both arms CPU that is not the binary's",
                   "choose CPUs of one node with [prove] cpus (lscpu shows nodes)"};
  }
  std::set<int> all;
  for (const auto& [cpu, node] : nodes) all.insert(node);
  if (all.size() > 1 && read_trimmed(files, "/proc/sys/kernel/numa_balancing").value_or("0") != "0")
    return Finding{"machine.numa-balancing", "info",
                   "the kernel moves pages between NUMA nodes by itself: the faults are charged to "
                   "the server at moments of the kernel's choice",
                   "sysctl kernel.numa_balancing=0"};
  return std::nullopt;
}

}  // namespace hone::measure
