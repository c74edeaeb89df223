// What else the machine did under each round, and how it was set: kept for whoever doubts a round.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

using measure::EventCounts;
using measure::MachineState;

std::string per_second(double count, const MachineState& state) {
  return state.wall_s > 0 ? fmt::format("{:.0f}", count / state.wall_s) : "-";
}

std::string per_second(const EventCounts& counts, const char* name, const MachineState& state) {
  const auto found = counts.find(name);
  return per_second(found == counts.end() ? 0 : static_cast<double>(found->second), state);
}

// "151 (virtio1-req.0 98)": all of them a second, and the busiest.
std::string devices(const MachineState& state) {
  double sum = 0;
  const EventCounts::value_type* busiest = nullptr;
  for (const auto& each : state.devices) {
    sum += static_cast<double>(each.second);
    if (busiest == nullptr || each.second > busiest->second) busiest = &each;
  }
  const std::string all = per_second(sum, state);
  if (busiest == nullptr || state.wall_s <= 0) return all;
  return all + " (" + busiest->first + " " +
         per_second(static_cast<double>(busiest->second), state) + ")";
}

}  // namespace

std::optional<Table> machine_state_table(const RunView& view) {
  Table table;
  table.title = "Interrupts, heat and swapping under every round";
  table.folded = true;
  table.columns = {{"load"},
                   {"shape"},
                   {"round"},
                   {"device interrupts/s", true, 0, "on the server's CPUs, and the busiest device"},
                   {"timers/s", true, 3, "local timer interrupts on the server's CPUs"},
                   {"wake-ups/s", true, 0, "interrupts from other CPUs on the server's (RES)"},
                   {"NET_RX/s", true, 0, "network softirqs on the server's CPUs"},
                   {"hottest", true, 0, "of all thermal zones, highest of three readings"},
                   {"throttled", true, 1, "times a CPU was slowed down for its temperature"},
                   {"swapped", true, 2, "pages in and out, whole machine"}};
  for (const Round& round : view.run.proof.rounds) {
    const MachineState& state = round.machine;
    if (state.wall_s <= 0) continue;
    table.rows.push_back(
        {{code(round.load), view.place(round),
          round_name(round) + (round.valid ? "" : " (repeated)"), devices(state),
          per_second(state.kernel, "LOC", state), per_second(state.kernel, "RES", state),
          per_second(state.softirqs, "NET_RX", state),
          state.hottest_c ? fmt::format("{:.0f} C", *state.hottest_c) : "-",
          format_count(state.thermal_throttles), format_count(state.swapped_pages)},
         round.valid ? Tone::kPlain : Tone::kNote});
  }
  if (table.rows.empty()) return std::nullopt;
  table.note =
      "Read before, between and after the slices of each round; no round is judged by these.";
  return table;
}

std::optional<Sentence> settings_sentence(const RunView& view) {
  for (const Round& round : view.run.proof.rounds) {
    if (!round.valid || round.machine.settings.empty()) continue;
    std::vector<std::string> texts;
    for (const auto& [key, value] : round.machine.settings)
      texts.push_back(replace_all(key, "_", " ") + " " + code(value));
    return Sentence{"Settings of the machine in the first counted round: " + join(texts, ", ") +
                    "; a change in another is among the findings."};
  }
  return std::nullopt;
}

}  // namespace hone::pipeline::report
