// Interrupts and softirqs that CPUs have served since boot, by source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "system/files.h"

namespace hone::measure {

// "virtio1-req.0" or "eth0" for a device, "LOC" or "RES" for what the kernel sends itself,
// "NET_RX" for a softirq. Sources that share a name are added up.
using EventCounts = std::map<std::string, std::uint64_t>;

struct InterruptCounts {
  EventCounts devices;   // numbered lines of /proc/interrupts
  EventCounts kernel;    // its other lines: timers, wake-ups from other CPUs, TLB shootdowns
  EventCounts softirqs;  // /proc/softirqs
};

// Summed over `cpus`; what the kernel does not show is empty.
InterruptCounts read_interrupts(const system::Files&, const std::vector<int>& cpus);
// What grew, by how much.
EventCounts grown(const EventCounts& before, const EventCounts& after);

}  // namespace hone::measure
