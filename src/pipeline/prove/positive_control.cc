#include "pipeline/prove/positive_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "measure/counters/usage.h"
#include "pipeline/prove/arm_session.h"
#include "pipeline/prove/prove.h"
#include "traffic/origin/spin.h"

namespace hone::pipeline {
namespace {

constexpr double kControlRate = 8000;  // a quarter of a CPU or less, on any machine of today
constexpr double kCostS = 1;  // over which a request's cost is read, twice; the first warms up
// Some 10 ms: long against the clock's steps, short against a time slice.
constexpr std::uint64_t kTimedTurns = 5'000'000;
// The path is of the same length for both arms.
constexpr int kDigits = 8;

std::string control_url(std::uint64_t turns) {
  return fmt::format("http://127.0.0.1:{{port}}/spin/{:0{}}/bytes/4096", turns, kDigits);
}

double thread_cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double turn_s() {
  const double begin = thread_cpu_s();
  traffic::origin::spin(kTimedTurns);
  return (thread_cpu_s() - begin) / static_cast<double>(kTimedTurns);
}

Result<Design> make_control_design(const system::Path& program, int rounds,
                                   const system::System& system) {
  Design design;
  design.subject = "positive-control";
  Arm arm;
  arm.variant = "origin";
  arm.binary = program.string();
  HONE_TRY(arm.sha256, system.files->sha256(program));
  arm.server.command = {"{binary}", "origin", "--listen", "127.0.0.1:{port}"};
  arm.server.ready.http = "http://127.0.0.1:{port}/bytes/1";
  arm.url = control_url(0);
  arm.name = "A";
  design.base = arm;
  arm.name = candidate_name(0);
  design.candidates = {arm};
  subject::Shape shape;
  shape.name = "h1";
  design.shapes = {shape};
  design.loads = {{"burst16", kControlRate, 0, "burst:16"}};
  design.settings.rounds = rounds;
  design.settings.rounds_in_turn = design.settings.rounds_without_spinner = 0;
  design.settings.seed = 1;
  design.with_origin = false;
  return design;
}

// CPU seconds of a request, on arm A.
Result<double> request_cost_s(const Design& design, const system::Path& folder,
                              system::System& system) {
  HONE_TRY(Rig rig, make_rig(design, folder, system));
  HONE_TRY(auto session, start_arm(design, design.base, 0, design.shapes[0], folder, rig, system));
  HONE_CHECK(session->connect());
  traffic::load::SliceSpec slice;
  slice.rate = kControlRate;
  slice.duration_s = kCostS;
  HONE_TRY(slice.arrivals, traffic::load::parse_arrivals(design.loads[0].arrivals));
  const auto& table = *system.process_table;
  double cost = 0;
  for (int i = 0; i < 2; ++i) {
    HONE_TRY(const auto before,
             measure::read_when_quiet(table, *system.clock, session->tree_root()));
    HONE_TRY(const auto result, session->slice(slice));
    HONE_TRY(const auto after,
             measure::read_when_quiet(table, *system.clock, session->tree_root()));
    cost = measure::difference(before, after).cpu_s /
           static_cast<double>(std::max<std::uint64_t>(result.ok, 1));
  }
  HONE_CHECK(session->stop());
  return cost;
}

}  // namespace

bool PositiveControl::found() const {
  return std::any_of(proof.comparisons.begin(), proof.comparisons.end(), [](const Comparison& one) {
    return one.role == "proof" && one.verdict == measure::Verdict::kWorse;
  });
}

Result<PositiveControl> run_positive_control(const system::Path& program, int rounds,
                                             const std::vector<int>& server_cpus,
                                             const std::vector<int>& load_cpus, Store& store,
                                             const system::Path& work_folder,
                                             system::System& system, Observer& observer) {
  HONE_TRY(Design design, make_control_design(program, rounds, system));
  design.server_cpus = server_cpus;
  design.load_cpus = load_cpus;
  HONE_TRY(const double cost_s, request_cost_s(design, work_folder / "cost", system));
  PositiveControl control;
  // Two significant digits: when it is run again the same rounds are meant.
  const double turns = kDialled * cost_s / turn_s();
  const double unit = std::pow(10, std::floor(std::log10(std::max(turns, 10.0))) - 1);
  control.turns = static_cast<std::uint64_t>(std::llround(turns / unit) * std::llround(unit));
  observer.line(fmt::format("a request takes {:.1f} us; {} turns of a loop are 3 % of that",
                            cost_s * 1e6, control.turns));
  design.candidates[0].url = control_url(control.turns);
  HONE_TRY(control.proof, prove(design, store, work_folder, system, observer));
  return control;
}

}  // namespace hone::pipeline
