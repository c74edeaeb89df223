// RAPL counts the whole package, so whoever is alive and whatever spins is in it: hence one arm, no
// spinner, and the idle power of that very arm taken away. Load and origin remain inside; they do
// the same for both arms.
#include "pipeline/prove/arm_energy.h"

#include "measure/counters/energy.h"
#include "measure/counters/events.h"

namespace hone::pipeline {
namespace {

// RAPL is brought up to date every millisecond, and its power follows temperature: seconds, not
// slices.
constexpr double kWindowS = 5;
constexpr std::uint64_t kEnergyPurpose = 3'000'000;  // far from those of a round's slices

// The energy of what `work` lasts.
Result<measure::EnergyWindow> energy_of(const std::function<Status()>& work,
                                        const system::System& system) {
  HONE_TRY(const auto before, measure::read_energy(*system.files));
  const auto begin = system.clock->now();
  HONE_CHECK(work());
  HONE_TRY(const auto after, measure::read_energy(*system.files));
  return measure::EnergyWindow{system::to_seconds(system.clock->now() - begin),
                               measure::microjoules_between(before, after)};
}

Result<measure::Counter> measure_energy(LiveArms& live, std::size_t arm,
                                        const traffic::load::SliceSpec& slice,
                                        const system::System& system) {
  HONE_TRY(const auto idle, energy_of(
                                [&]() -> Status {
                                  system.clock->sleep(system::seconds(kWindowS));
                                  return {};
                                },
                                system));
  measure::Counter counter{measure::kEnergyCounter, 0, 0, ""};
  HONE_TRY(const auto loaded, energy_of(
                                  [&]() -> Status {
                                    HONE_TRY(const auto result, live[arm].slice(slice));
                                    counter.ok = result.ok;
                                    return {};
                                  },
                                  system));
  counter.count = measure::microjoules_above_idle(loaded, idle);
  return counter;
}

}  // namespace

Status count_arm_energy(LiveArms& live, const LiveArms::MakeSlice& make_slice, const Design& design,
                        Rig* rig, system::System& system, Round* round) {
  const std::size_t arm = live.arms().front();
  std::vector<measure::Counter>& events = round->trials[arm].events;
  if (const auto energy = measure::read_energy(*system.files); !energy) {
    events.push_back({measure::kEnergyCounter, 0, 0, energy.error().what});
    return {};
  }
  rig->spinner.reset();
  HONE_CHECK(live.on_arm(arm, [&]() -> Status {
    HONE_TRY(auto counter, measure_energy(live, arm, make_slice(kWindowS, kEnergyPurpose), system));
    events.push_back(std::move(counter));
    return {};
  }));
  return restart_spinner(design, rig);
}

}  // namespace hone::pipeline
