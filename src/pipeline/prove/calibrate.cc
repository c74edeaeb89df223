// CPU per request falls with the rate (fewer wakes each), so busy shares rise slower than the rate:
// a step that scales the rate by wanted / seen undershoots and converges from below without ever
// overloading the server. Bisection would have to visit overloads to bracket them.
#include "pipeline/prove/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/counters/usage.h"
#include "pipeline/prove/arm_session.h"
#include "pipeline/prove/whole_cpu.h"
#include "system/interrupt.h"
#include "traffic/load/arrivals.h"

namespace hone::pipeline {
namespace {

// Load and origin must stay well under saturation, or lateness is theirs and not the subject's.
constexpr double kClientBound = 0.7;
constexpr double kFirstRate = 500;  // requests/s: any server that serves at all serves this
constexpr double kLargestStep = 4;  // of one step of the search
constexpr double kCloseEnough = 0.04;
constexpr int kMostSteps = 10;
constexpr double kProbeS = 0.4;
// A server that answers less than this share of the rate in time is past its knee.
constexpr double kKeptUp = 0.99;
constexpr double kMostMissed = 0.001;  // the limit that rounds are held to

// Two significant digits: a rate that can be typed again.
double round_rate(double rate) {
  const double unit = std::pow(10.0, std::floor(std::log10(rate)) - 1);
  return std::floor(rate / unit) * unit;
}

// Of the spinner beside an arm that rests: many timer periods. Not needed for load from here.
SpunStretch idle_stretch(const Design& design, const Rig& rig, system::System& system) {
  if (!design.settings.hosts.load.is_far()) return {};
  const SpunStretch begin = spun_so_far(rig.spinner.get(), *system.clock);
  system.clock->sleep(system::seconds(kProbeS));
  return between(begin, spun_so_far(rig.spinner.get(), *system.clock));
}

// `idle`: with its turns the server is as busy as its CPUs are, soft interrupts included.
Result<BusyShares> probe(subject::Session& session, const traffic::load::SliceSpec& slice,
                         const Design& design, const SpunStretch& idle, const Rig& rig,
                         system::System& system) {
  HONE_CHECK(system::check_interrupted());
  const auto& table = *system.process_table;
  HONE_TRY(const auto before, measure::read_when_quiet(table, *system.clock, session.tree_root()));
  const SpunStretch begin = spun_so_far(rig.spinner.get(), *system.clock);
  HONE_TRY(const auto result, session.slice(slice));
  HONE_TRY(const auto after, measure::read_when_quiet(table, *system.clock, session.tree_root()));
  const SpunStretch end = spun_so_far(rig.spinner.get(), *system.clock);
  const double wall = std::max(result.duration_s, slice.duration_s);
  const auto scheduled = static_cast<double>(result.scheduled);
  const auto missed = static_cast<double>(result.missed);
  BusyShares busy;
  const auto cpus = static_cast<int>(design.server_cpus.size());
  const double cpu_s = std::max(measure::difference(before, after).cpu_s,
                                unavailable_cpu_s(between(begin, end), idle, cpus));
  busy.server = cpu_s / wall / cpus;
  busy.client = result.client_cpu_s / wall / design.settings.hosts.load_threads;
  // Who cannot keep up is as busy as it gets, whatever its CPU says.
  if (static_cast<double>(result.ok) < kKeptUp * (scheduled - missed)) {
    busy.server = std::max(busy.server, 1.0);
  }
  if (missed > std::max(1.0, kMostMissed * scheduled)) busy.client = std::max(busy.client, 1.0);
  return busy;
}

}  // namespace

Result<ResolvedLoad> search_busy_rate(double wanted_busy,
                                      const std::function<Result<BusyShares>(double rate)>& measure,
                                      const std::string& client) {
  double rate = kFirstRate;
  ResolvedLoad best;
  for (int step = 0; step < kMostSteps; ++step) {
    HONE_TRY(const BusyShares seen, measure(rate));
    const double server_room = wanted_busy / std::max(seen.server, 1e-3);
    const double client_room = kClientBound / std::max(seen.client, 1e-3);
    const double room = std::min(server_room, client_room);
    if (room >= 1 - kCloseEnough && rate > best.rate) {
      best.rate = rate;
      best.server_busy = seen.server;
      best.client_busy = seen.client;
      best.bound = server_room <= client_room
                       ? fmt::format("server {:.0f} % busy", wanted_busy * 100)
                       : fmt::format("{} {:.0f} % busy", client, kClientBound * 100);
    }
    if (std::abs(room - 1) < kCloseEnough) break;
    const double next = round_rate(rate * std::clamp(room, 1 / kLargestStep, kLargestStep));
    if (next < 1 || next == rate) break;
    rate = next;
  }
  if (best.rate <= 0) {
    return fail(ErrorKind::kMachineUnfit,
                fmt::format("no rate down to {:.0f} requests/s keeps the server under {:.0f} % and "
                            "{} under {:.0f} % of their CPUs",
                            rate, wanted_busy * 100, client, kClientBound * 100),
                "give the server or the load more CPUs ([prove] cpus), or a fixed rate ([[load]])");
  }
  return best;
}

Result<ResolvedLoad> resolve_load(const Design& design, const Load& load,
                                  const subject::Shape& shape, const system::Path& work_folder,
                                  Rig& rig, system::System& system) {
  ResolvedLoad resolved;
  if (load.rate > 0) {
    resolved.rate = load.rate;
    resolved.bound = "fixed";
  } else {
    traffic::load::SliceSpec slice;
    slice.duration_s = kProbeS;
    HONE_TRY(slice.arrivals, traffic::load::parse_arrivals(load.arrivals));
    slice.seed = derive_seed(design.settings.seed, 0xca11);
    HONE_TRY(auto session, start_arm(design, design.base, 0, shape, work_folder, rig, system));
    HONE_CHECK(session->connect());
    const SpunStretch idle = idle_stretch(design, rig, system);
    const auto measure = [&](double rate) {
      slice.rate = rate;
      return probe(*session, slice, design, idle, rig, system);
    };
    HONE_TRY(resolved,
             search_busy_rate(load.busy, measure,
                              design.settings.hosts.load.is_far() ? "load" : "load and origin"));
    // One that had to be killed is said after its rounds; the rate is good.
    if (Status stopped = session->stop(); !stopped && stopped.error().kind != ErrorKind::kTimeout) {
      return tl::make_unexpected(std::move(stopped).error());
    }
  }
  resolved.load = load.name;
  resolved.shape = shape.name;
  resolved.arrivals = load.arrivals;
  return resolved;
}

}  // namespace hone::pipeline
