#include <gmock/gmock.h>

#include <algorithm>

#include "measure/counters/energy.h"
#include "pipeline/report/report_fixture.h"
#include "pipeline/report/sections.h"

namespace hone::pipeline::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// One shape at one load, so that a row's name is its counter's.
RunValues one_shape() {
  RunValues run = full_run();
  Proof& proof = run.proof;
  const auto other = [](const auto& each) { return each.shape != "h1-4k" || each.load != "busy"; };
  std::erase_if(proof.comparisons, other);
  std::erase_if(proof.rounds, other);
  return run;
}

template <typename T>
std::vector<T> parts(const Section& section) {
  std::vector<T> found;
  for (const Part& part : section.parts)
    if (const T* one = std::get_if<T>(&part)) found.push_back(*one);
  return found;
}

std::vector<std::string> row(const Section& section, const std::string& counter) {
  for (const Table& table : parts<Table>(section))
    for (const Table::Row& row : table.rows)
      if (row.cells[1] == counter) return {row.cells.begin() + 2, row.cells.end()};
  return {};
}

void set_trials(RunValues* run, const std::string& arm, const std::function<void(Trial*)>& set) {
  for (Round& round : run->proof.rounds)
    for (Trial& trial : round.trials)
      if (trial.arm == arm) set(&trial);
}

TEST(CountersSection, SaysWhatARequestTookAndWhatChanged) {
  RunValues run = one_shape();
  for (const char* arm : {"A", "B"}) {
    const double more = arm[0] == 'B' ? 0.75 : 1;
    set_trials(&run, arm, [&](Trial* trial) {
      trial->ok = 1000;
      trial->minor_faults = 20;
      trial->run_delay_s = 0.004 * more;
      // A fifth of a trial's requests: counters have their own slices.
      trial->events = {{"instructions, user", 200 * 120'000 * more, 200, ""},
                       {"cycles, user", 200 * 100'000 * more, 200, ""}};
    });
  }
  const auto section = counters_section(RunView(run));
  ASSERT_TRUE(section);
  EXPECT_THAT(row(*section, "instructions, user"), ElementsAre("120,000", "90,000", "-25.0 %"));
  EXPECT_THAT(row(*section, "instructions per cycle, user"), ElementsAre("1.20", "1.20", "0.0 %"));
  EXPECT_THAT(row(*section, "page faults"), ElementsAre("0.0200", "0.0200", "0.0 %"));
  EXPECT_THAT(row(*section, "page faults from disk"), ElementsAre("0", "0", "-"));
  EXPECT_THAT(row(*section, "waiting for a CPU, us"), ElementsAre("4.00", "3.00", "-25.0 %"));
}

TEST(CountersSection, TellsTopDownAsSharesOfSlots) {
  RunValues run = one_shape();
  for (const char* arm : {"A", "B"}) {
    const bool b = arm[0] == 'B';
    set_trials(&run, arm, [&](Trial* trial) {
      trial->events = {{"top-down slots", b ? 80'000.0 : 100'000.0, 200, ""},
                       {"top-down: retiring", b ? 40'000.0 : 25'000.0, 200, ""},
                       {"top-down: frontend bound", 0, 200, ""}};
    });
  }
  const auto section = counters_section(RunView(run));
  ASSERT_TRUE(section);
  EXPECT_THAT(row(*section, "top-down slots"), ElementsAre("500.0", "400.0", "-20.0 %"));
  EXPECT_THAT(row(*section, "top-down: retiring, % of slots"),
              ElementsAre("25.0", "50.0", "+100.0 %"));
  EXPECT_THAT(row(*section, "top-down: frontend bound, % of slots"), ElementsAre("0", "0", "-"));
}

TEST(CountersSection, LeavesOutSystemCallsThatNeitherArmMakes) {
  RunValues run = one_shape();
  for (const char* arm : {"A", "B"})
    set_trials(&run, arm, [&](Trial* trial) {
      trial->events = {{"system calls", 500, 200, ""},
                       {"system calls: memory", arm[0] == 'B' ? 10.0 : 0.0, 200, ""},
                       {"system calls: futex", 0, 200, ""}};
    });
  const auto section = counters_section(RunView(run));
  ASSERT_TRUE(section);
  EXPECT_THAT(row(*section, "system calls"), ElementsAre("2.50", "2.50", "0.0 %"));
  EXPECT_THAT(row(*section, "system calls: memory"), ElementsAre("0", "0.0500", "-"));
  EXPECT_TRUE(row(*section, "system calls: futex").empty());
}

TEST(CountersSection, GivesReasonsForWhatIsMissingEachOnce) {
  RunValues run = one_shape();
  const std::string why = "not available here: this machine has no such counter";
  for (const char* arm : {"A", "B", "A'"})
    set_trials(&run, arm, [&](Trial* trial) {
      trial->events = {{"cycles, user", 0, 0, why}, {"iTLB misses, user", 0, 0, why}};
    });
  const auto section = counters_section(RunView(run));
  ASSERT_TRUE(section);
  EXPECT_TRUE(row(*section, "cycles, user").empty());
  const auto terms = parts<Terms>(*section);
  ASSERT_EQ(terms.size(), 1U);
  ASSERT_EQ(terms[0].items.size(), 1U);
  EXPECT_EQ(terms[0].items[0].term, "cycles, user; iTLB misses, user");
  EXPECT_EQ(terms[0].items[0].text, why + ".");
}

TEST(CountersSection, TakesEnergyFromRoundsThatAreNotCounted) {
  RunValues run = one_shape();
  Round turn = run.proof.rounds.front();
  turn.kind = RoundKind::kInTurn;
  turn.trials[0].events = {{measure::kEnergyCounter, 50e6, 10'000, ""}};
  turn.trials[1].events = {{measure::kEnergyCounter, 40e6, 10'000, ""}};
  run.proof.rounds.push_back(turn);
  turn.valid = false;
  turn.trials[1].events[0].count = 400e6;
  run.proof.rounds.push_back(turn);
  const auto section = counters_section(RunView(run));
  ASSERT_TRUE(section);
  EXPECT_THAT(row(*section, measure::kEnergyCounter), ElementsAre("5,000", "4,000", "-20.0 %"));
}

TEST(CountersSection, ShowsSimulatedRequestsBesideOrWhyThereAreNone) {
  RunValues run = one_shape();
  run.proof.simulated = {{"A", "h1-4k", 900, {50'000, 12.5, 0.25}, ""},
                         {"B", "h1-4k", 950, {40'000, 10, 0.25}, ""}};
  auto section = counters_section(RunView(run));
  ASSERT_TRUE(section);
  const auto tables = parts<Table>(*section);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(tables[1].title, HasSubstr("simulated"));
  ASSERT_EQ(tables[1].rows.size(), 3U);
  EXPECT_THAT(tables[1].rows[0].cells,
              ElementsAre(HasSubstr("h1-4k"), "instructions, user", "50,000", "40,000", "-20.0 %"));
  EXPECT_EQ(tables[1].rows[2].cells[2], "0.250");
  run.proof.simulated[1].unavailable = "not counted: the server forks";
  section = counters_section(RunView(run));
  EXPECT_THAT(parts<Table>(*section), testing::SizeIs(1));
  EXPECT_EQ(parts<Terms>(*section).back().items.back().term, "simulated, arm B on h1-4k");
}

TEST(CountersSection, ShowsThreadsWhereSeveralWork) {
  RunValues run = one_shape();
  ASSERT_TRUE(counters_section(RunView(run)));
  EXPECT_THAT(parts<Table>(*counters_section(RunView(run))), testing::SizeIs(1));
  set_trials(&run, "B",
             [](Trial* trial) { trial->threads = {{"wrk:1", 0.6, 5, 0}, {"wrk:0", 0.4, 5, 3}}; });
  const auto tables = parts<Table>(*counters_section(RunView(run)));
  ASSERT_EQ(tables.size(), 2U);
  ASSERT_EQ(tables[1].rows.size(), 1U);
  EXPECT_THAT(tables[1].rows[0].cells,
              ElementsAre(HasSubstr("h1-4k"), "B", "wrk:1 60 %, wrk:0 40 % (3 migrations)"));
}

TEST(MachineStateTable, TellsTheBusiestDeviceAndLeavesOutRoundsWithoutState) {
  RunValues run = one_shape();
  run.proof.rounds.resize(2);
  run.proof.rounds[1].machine = {};
  const auto table = machine_state_table(RunView(run));
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 1U);
  EXPECT_EQ(table->rows[0].cells[3], "28 (virtio1-req.0 25)");
  EXPECT_EQ(table->rows[0].cells[7], "62 C");
  EXPECT_THAT(settings_sentence(RunView(run))->text, HasSubstr("aslr `2`, governor `performance`"));
  run.proof.rounds.resize(0);
  EXPECT_FALSE(machine_state_table(RunView(run)));
  EXPECT_FALSE(settings_sentence(RunView(run)));
}

}  // namespace
}  // namespace hone::pipeline::report
