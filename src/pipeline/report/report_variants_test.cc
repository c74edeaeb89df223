// The made-up run with every verdict but `saved`, and as a comparison of two commands.
#include <gmock/gmock.h>

#include <stdexcept>
#include <utility>

#include "pipeline/report/report_fixture.h"

namespace hone::pipeline::report {
namespace {

using measure::Verdict;

Comparison& find(RunValues* run, const std::string& load, const std::string& shape) {
  for (Comparison& c : run->proof.comparisons)
    if (c.load == load && c.shape == shape) return c;
  throw std::logic_error("no such comparison in the fixture");
}

void shift(Comparison* c, double by) {
  c->estimate = {round_to(c->estimate.effect + by, 1e-5), round_to(c->estimate.low + by, 1e-5),
                 round_to(c->estimate.high + by, 1e-5)};
  c->won = 0;
  for (double& v : c->round_effects) {
    v = round_to(v + by, 1e-4);
    c->won += v < 0;
  }
  c->us_b = round_to(c->us_a * (1 + c->estimate.effect), 0.01);
  c->us_saved = round_to(c->us_a - c->us_b, 0.01);
  c->us_saved_low = round_to(-c->estimate.high * c->us_a, 0.01);
  c->us_saved_high = round_to(-c->estimate.low * c->us_a, 0.01);
}

// A candidate's row from that of B, `by` more costly than it.
Comparison candidate_row(const Comparison& b, const std::string& arm, const std::string& block,
                         double by, Verdict verdict) {
  Comparison c = b;
  c.b = arm;
  c.block = block;
  shift(&c, by);
  c.whole_cpu = CpuView{c.us_a * 1.07, c.us_b * 1.07, c.estimate};
  c.verdict = verdict;
  c.why = verdict == Verdict::kSame
              ? "the 90 % interval lies inside what does not matter"
              : "the interval excludes 0 and the effect is beyond the A/A floor of 1.1 %";
  return c;
}

Comparison control_row(const Comparison& of, const std::string& block) {
  Comparison aa = of;
  aa.role = "aa";
  aa.b = "A'";
  aa.block = block;
  aa.estimate = of.aa;
  aa.round_effects = of.round_aa;
  aa.verdict = Verdict::kSame;
  return aa;
}

// The round of B with other candidates in its place.
Round round_with(const Round& round, const std::vector<std::string>& candidates) {
  Round other = round;
  other.trials = {round.trials.front()};
  for (const std::string& arm : candidates) {
    other.trials.push_back(round.trials[1]);
    other.trials.back().arm = arm;
  }
  other.trials.push_back(round.trials.back());
  if (candidates.size() == 2) other.order = {0, 1, 2, 3, 1, 3, 0, 2, 3, 2, 1, 0};
  return other;
}

}  // namespace

RunValues mixed_run() {
  RunValues run = full_run();
  run.proof.totals[0].verdict = Verdict::kWithheld;
  run.proof.totals[1] = {"busy", "B", {-0.0061, -0.0163, 0.0042}, Verdict::kUnresolved, 6};
  shift(&find(&run, "busy", "h1-4k"), 0.081);
  Comparison& same = find(&run, "busy", "h1-16k");
  shift(&same, 0.0651);
  same.verdict = Verdict::kSame;
  same.why = "the 90 % interval lies inside what does not matter";
  Comparison& worse = find(&run, "busy", "h1-redirect");
  shift(&worse, 0.09);
  worse.verdict = Verdict::kWorse;
  Comparison& unresolved = find(&run, "busy", "h1-4k");
  unresolved.verdict = Verdict::kUnresolved;
  unresolved.why = "the interval includes 0: -0.9 % to +1.1 %";
  unresolved.rounds_needed = 41;
  unresolved.p_value = 0.81;
  Comparison& withheld = find(&run, "burst16", "headers");
  withheld.aa = {0.011, 0.003, 0.019};
  withheld.verdict = Verdict::kWithheld;
  withheld.why = "A against its own copy is not zero: +0.3 % to +1.9 %";
  Comparison& failed = find(&run, "busy", "tls-h2-4k");
  const Comparison before = failed;
  failed = {};
  failed.a = "A", failed.b = failed.block = "B", failed.shape = before.shape,
  failed.load = before.load;
  failed.verdict = Verdict::kFailed;
  failed.why = "arm B (pgo-thinlto), round 1: 212 of 9,000 requests were reset";
  return run;
}

RunValues compare_run() {
  const RunValues full = full_run();
  RunValues run;
  run.command =
      "hone compare --a './server --port {port}' --b './server --port {port} --extra 5' --url "
      "http://127.0.0.1:{port}/";
  run.started_at = full.started_at;
  run.finished_at = "2026-11-30T19:56:10Z";
  run.wall_s = 132;
  run.machine = full.machine;
  run.proof.design = full.proof.design;
  Design& design = run.proof.design;
  design.subject.clear();
  design.base.variant = "./server --port {port}";
  design.candidates[0].variant = "./server --port {port} --extra 5";
  for (Arm* one : {&design.base, &design.candidates[0]}) one->binary.clear(), one->sha256.clear();
  design.loads = {full.proof.design.loads[1]};
  design.shapes = {full.proof.design.shapes[0]};
  design.with_origin = false;
  for (const Comparison& c : full.proof.comparisons)
    if (c.load == "busy" && c.shape == "h1-4k") run.proof.comparisons.push_back(c);
  Comparison& c = run.proof.comparisons.front();
  shift(&c, 0.1335);
  c.verdict = Verdict::kWorse;
  c.why = "the interval excludes 0 and the effect is beyond the A/A floor of 1.1 %";
  Comparison aa = c;
  aa.role = "aa", aa.b = "A'", aa.estimate = c.aa, aa.round_effects = c.round_aa;
  aa.verdict = Verdict::kSame;
  run.proof.comparisons.push_back(aa);
  run.proof.totals = {{"busy", "B", run.proof.comparisons.front().estimate, Verdict::kWorse, 1}};
  for (const ResolvedLoad& load : full.proof.loads)
    if (load.load == "busy" && load.shape == "h1-4k") run.proof.loads.push_back(load);
  for (const Round& round : full.proof.rounds)
    if (round.load == "busy" && round.shape == "h1-4k") run.proof.rounds.push_back(round);
  return run;
}

RunValues candidates_run() {
  RunValues run = compare_run();
  run.command = "hone compare --a './server {port} --level 0' --b './server {port} --level 1' ...";
  Design& design = run.proof.design;
  design.base.variant = "./server {port} --level 0";
  design.candidates.resize(4, design.candidates.front());
  for (std::size_t i = 0; i < design.candidates.size(); ++i) {
    design.candidates[i].name = candidate_name(i);
    design.candidates[i].label = "level " + std::to_string(i + 1);
    design.candidates[i].variant = "./server {port} --level " + std::to_string(i + 1);
  }
  const Comparison b = run.proof.comparisons.front();
  std::vector<Comparison>& rows = run.proof.comparisons;
  rows = {candidate_row(b, "B", "B+C", -b.estimate.effect, Verdict::kSame),
          candidate_row(b, "C", "B+C", -0.12, Verdict::kSaved)};
  rows.push_back(control_row(rows.back(), "B+C"));
  rows.push_back(candidate_row(b, "D", "D", 0.03, Verdict::kWorse));
  rows.push_back(control_row(rows.back(), "D"));
  Comparison failed;
  failed.a = "A", failed.b = "E", failed.block = "D+E", failed.shape = b.shape;
  failed.load = b.load;
  failed.verdict = Verdict::kFailed;
  failed.why = "arm E (./server {port} --level 4), round 1: 212 of 9,000 requests were reset";
  rows.push_back(failed);
  run.proof.totals.clear();
  for (const Comparison& row : rows) {
    if (row.role != "aa")
      run.proof.totals.push_back({row.load, row.b, row.estimate, row.verdict, 1});
  }
  std::vector<Round> rounds;
  for (const Round& round : std::exchange(run.proof.rounds, {}))
    rounds.push_back(round_with(round, {"B", "C"}));
  for (const Round& round : compare_run().proof.rounds) rounds.push_back(round_with(round, {"D"}));
  rounds.push_back(round_with(rounds.front(), {"D", "E"}));
  rounds.back().trials[2].failure = "212 of 9,000 requests were reset";
  run.proof.rounds = std::move(rounds);
  return run;
}

TEST(ReportFixture, TheMixedRunHasEveryVerdict) {
  const RunValues run = mixed_run();
  for (const Verdict verdict : {Verdict::kSaved, Verdict::kWorse, Verdict::kSame,
                                Verdict::kUnresolved, Verdict::kWithheld, Verdict::kFailed}) {
    bool found = false;
    for (const Comparison& c : run.proof.comparisons) found = found || c.verdict == verdict;
    EXPECT_TRUE(found) << measure::name(verdict);
  }
}

}  // namespace hone::pipeline::report
