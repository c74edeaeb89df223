// Rounds go through blocks, shapes and loads in turn (round 1 of all, then round 2 of all), so that
// hours of drift fall on all of them alike and a cut proof has equally many rounds of each.
#include "pipeline/prove/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/prove/arm_counters.h"
#include "pipeline/prove/block.h"
#include "pipeline/prove/calibrate.h"
#include "pipeline/prove/cell.h"
#include "pipeline/prove/round.h"
#include "pipeline/prove/round_costs.h"
#include "pipeline/prove/simulate.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

// Above this share of spoiled rounds the machine is unfit for a proof; the first few do not count,
// because one in four rounds is not yet a share.
constexpr double kMostSpoiled = 0.2;
constexpr int kSpoiledGrace = 4;

class ProofRun {
 public:
  ProofRun(const Design& design, Store& store, const system::Path& work, system::System& system,
           Observer& observer)
      : design_(design), store_(store), work_(work), system_(system), observer_(observer) {}

  Result<Proof> run() {
    HONE_CHECK(read_back());
    if (!all_whole()) {
      HONE_CHECK(set_up());
      HONE_CHECK(find_rates());
      HONE_CHECK(measure_all());
    }
    Proof proof;
    if (design_.settings.callgrind) {
      HONE_TRY(proof.simulated, simulate());
    }
    proof.design = design_;
    proof.findings = rig_.findings;
    note_rounds(&proof.findings);
    for (Cell& cell : cells_) {
      if (&cell == first_like(cell)) proof.loads.push_back(cell.resolved);
      std::move(cell.rounds.begin(), cell.rounds.end(), std::back_inserter(proof.rounds));
    }
    note_machine(proof.rounds, &proof.findings);
    for (Finding& finding : cpu_view_findings(proof.rounds)) {
      proof.findings.push_back(std::move(finding));
    }
    note_metric(proof.rounds, &proof.findings);
    draw_comparisons(&proof);
    return proof;
  }

 private:
  // Once, and not where everything is found finished.
  Status set_up() {
    if (rig_.load) return {};
    HONE_TRY(rig_, make_rig(design_, work_, system_));
    for (const Finding& finding : rig_.findings) observer_.finding(finding);
    return {};
  }

  Status read_back() {
    for (const Load& load : design_.loads) {
      for (const auto& shape : design_.shapes) {
        for (Block& block : deal(design_)) {
          HONE_TRY(Cell cell, open_cell(std::move(block), shape, load));
          cells_.push_back(std::move(cell));
        }
      }
    }
    HONE_CHECK(share_rates());
    if (finished() > 0) {
      observer_.line(fmt::format("rounds: {} of {} found finished", finished(), planned()));
    }
    return {};
  }

  // With the rounds that earlier runs left.
  Result<Cell> open_cell(Block block, const subject::Shape& shape, const Load& load) {
    Cell cell;
    cell.block = std::move(block);
    cell.shape = &shape;
    cell.load = &load;
    const std::string place = place_of(cell);
    HONE_TRY(const auto folder, store_.open("rounds", cell_fingerprint(design_, cell)));
    HONE_TRY(const auto changed, store_.use("6-prove", place, folder));
    for (const std::string& change : changed) {
      observer_.line("rounds of " + place + ": measured again, because of " + change);
    }
    cell.files.emplace(folder, system_.files.get());
    HONE_TRY(auto rounds, cell.files->read());
    for (Round& round : rounds) {
      if (const std::string why = failure_of(round); !why.empty()) {
        // Whoever runs again has mended something: the failure is not the result for ever.
        observer_.line(
            fmt::format("round {} of {} failed ({}): measured again", round.number, place, why));
        HONE_CHECK(cell.files->set_aside(round));
        continue;
      }
      cell.add(std::move(round));
    }
    if (auto resolved = cell.files->read_rate()) cell.resolved = *resolved;
    cell.wanted = wanted_rounds(design_, cell);
    leave_out_unplanned(&cell);
    return cell;
  }

  // "busy.h1", and where there are several candidates "busy.h1.B+C": a part of paths.
  std::string place_of(const Cell& cell) const {
    const std::string place = cell.load->name + "." + cell.shape->name;
    return design_.candidates.size() > 1 ? place + "." + name(cell.block) : place;
  }

  // "busy, h1", "busy, h1, B+C": for people.
  std::string title_of(const Cell& cell) const {
    const std::string title = cell.load->name + ", " + cell.shape->name;
    return design_.candidates.size() > 1 ? title + ", " + name(cell.block) : title;
  }

  // The first cell of the same shape and load.
  const Cell* first_like(const Cell& cell) const {
    return &*std::find_if(cells_.begin(), cells_.end(),
                          [&cell](const Cell& other) { return other.asks_as(cell); });
  }

  // All blocks of a shape have one rate, the first that is known: what is found on the base holds
  // beside every candidate.
  Status share_rates() {
    for (Cell& cell : cells_) {
      const auto known = std::find_if(cells_.begin(), cells_.end(), [&cell](const Cell& other) {
        return other.asks_as(cell) && other.resolved.rate > 0;
      });
      if (known == cells_.end() || known->resolved.rate == cell.resolved.rate) continue;
      // Of a proof in which it stood beside other blocks.
      for (const Round& round : cell.rounds) HONE_CHECK(cell.files->set_aside(round));
      cell.rounds.clear();
      cell.wanted = wanted_rounds(design_, cell);
      cell.resolved = known->resolved;
      HONE_CHECK(cell.files->write_rate(cell.resolved));
    }
    return {};
  }

  // Of an earlier run that asked for more of them.
  void leave_out_unplanned(Cell* cell) const {
    const auto plan = plan_rounds(design_.settings, cell->wanted);
    const auto unplanned = [&plan](const Round& round) {
      return std::none_of(plan.begin(), plan.end(), [&round](const PlannedRound& one) {
        return one.kind == round.kind && one.number == round.number;
      });
    };
    cell->rounds.erase(std::remove_if(cell->rounds.begin(), cell->rounds.end(), unplanned),
                       cell->rounds.end());
  }

  int planned() const {
    std::size_t all = 0;
    for (const Cell& cell : cells_) all += plan_rounds(design_.settings, cell.wanted).size();
    return static_cast<int>(all);
  }

  int finished() const {
    int all = 0;
    for (const Cell& cell : cells_) all += cell.finished(design_.settings);
    return all;
  }

  bool is_whole(const Cell& cell) const {
    return cell.failed ||
           (cell.finished(design_.settings) ==
                static_cast<int>(plan_rounds(design_.settings, cell.wanted).size()) &&
            wanted_rounds(design_, cell) == cell.wanted);
  }

  bool all_whole() const {
    return std::all_of(cells_.begin(), cells_.end(),
                       [this](const Cell& cell) { return is_whole(cell); });
  }

  Status find_rates() {
    for (Cell& cell : cells_) {
      if (cell.resolved.rate > 0) continue;
      observer_.progress("rate of " + cell.load->name + ", " + cell.shape->name, 0, 1);
      auto resolved = resolve_load(design_, *cell.load, *cell.shape, work_ / "rate", rig_, system_);
      if (!resolved) {
        return tl::make_unexpected(while_doing(std::move(resolved).error(),
                                               "finding the rate of load '" + cell.load->name +
                                                   "' for shape '" + cell.shape->name + "'"));
      }
      cell.resolved = *std::move(resolved);
      HONE_CHECK(cell.files->write_rate(cell.resolved));
      HONE_CHECK(share_rates());
      observer_.line(fmt::format("{} {}: {:.0f} requests/s, {} ({})", cell.load->name,
                                 cell.shape->name, cell.resolved.rate, cell.load->arrivals,
                                 cell.resolved.bound));
    }
    return {};
  }

  // Twice where a precision is asked for: the first stage says how many rounds it takes.
  Status measure_all() {
    while (!all_whole()) {
      int most = 0;
      for (const Cell& cell : cells_) most = std::max(most, cell.wanted);
      for (const PlannedRound& planned : plan_rounds(design_.settings, most)) {
        for (Cell& cell : cells_) HONE_CHECK(measure_unless_done(&cell, planned));
      }
      for (Cell& cell : cells_) add_second_stage(&cell);
      HONE_CHECK(split_failed());
    }
    return {};
  }

  // Each arm on each shape once, whatever its loads; the copy would show the same as the base.
  Result<std::vector<Simulated>> simulate() {
    std::vector<Simulated> all;
    for (Cell& cell : cells_) {
      if (cell.load != &design_.loads.front() || cell.failed) continue;
      for (const Arm& arm : cell.block.arms) {
        const bool done = std::any_of(all.begin(), all.end(), [&](const Simulated& one) {
          return one.shape == cell.shape->name && one.arm == arm.name;
        });
        if (done || arm.name == copy_name(design_.base)) continue;
        auto kept = cell.files->read_simulated(arm.name);
        if (!kept) {
          HONE_TRY(kept, simulate_anew(&cell, arm));
        }
        all.push_back(*std::move(kept));
      }
    }
    return all;
  }

  Result<Simulated> simulate_anew(Cell* cell, const Arm& arm) {
    HONE_CHECK(system::check_interrupted());
    HONE_CHECK(set_up());
    const std::string what = "arm " + arm.name + " under callgrind, " + cell->shape->name;
    observer_.progress(what, finished(), planned());
    HONE_TRY(auto simulated,
             simulate_arm(design_, arm, *cell->shape, work_ / "callgrind", rig_, system_));
    if (!simulated.unavailable.empty()) {
      observer_.line(what + ": " + simulated.unavailable);
    } else {  // a reason may be gone next time
      HONE_CHECK(cell->files->write_simulated(simulated));
    }
    return simulated;
  }

  // A candidate's own fault ends its comparison and not that of the one beside it, which goes on in
  // a block to itself. From the first round on: the rounds of a comparison have the same arms.
  Status split_failed() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {  // it grows
      if (!cells_[i].failed || cells_[i].split) continue;
      cells_[i].split = true;
      Block rest = cells_[i].rest();
      if (rest.arms.empty()) continue;
      observer_.line(fmt::format("{}: {} goes on without the arm that failed", title_of(cells_[i]),
                                 name(rest)));
      HONE_TRY(Cell cell, open_cell(std::move(rest), *cells_[i].shape, *cells_[i].load));
      cells_.push_back(std::move(cell));
    }
    return share_rates();
  }

  Status measure_unless_done(Cell* cell, const PlannedRound& planned) {
    const bool counted = planned.kind == counted_kind(design_.settings);
    if (cell->failed || cell->has(planned)) return {};
    if (counted && planned.number > cell->wanted) return {};
    return measure_round(cell, planned);
  }

  void add_second_stage(Cell* cell) const {
    const int wanted = wanted_rounds(design_, *cell);
    if (wanted == cell->wanted) return;
    observer_.line(fmt::format("{}: {} rounds in all for an interval of {} to either side",
                               title_of(*cell), wanted,
                               format_percent(design_.settings.precision, 2)));
    cell->wanted = wanted;
  }

  Status measure_round(Cell* cell, const PlannedRound& planned) {
    const std::string what = fmt::format(
        "round {}{} of {}", planned.number,
        planned.kind == RoundKind::kSlices ? std::string() : std::string(" ") + name(planned.kind),
        title_of(*cell));
    for (;;) {
      HONE_CHECK(system::check_interrupted());
      observer_.progress(what, finished(), this->planned());
      auto round = run_round(design_, cell->block, *cell->shape, cell->resolved, planned,
                             cell->attempts(planned) + 1, work_ / "round", rig_, system_);
      if (!round) return tl::make_unexpected(while_doing(std::move(round).error(), what));
      if (!failure_of(*round).empty()) HONE_CHECK(keep_logs(*cell, &*round));
      HONE_CHECK(cell->files->write(*round));
      const bool valid = round->valid;
      if (!valid) {
        observer_.line(what + " is repeated: " + round->why_invalid);
      }
      cell->add(*std::move(round));
      if (valid) return {};
      HONE_CHECK(check_spoiled(cell->rounds.back().why_invalid));
    }
  }

  // The server's files would go with the next round; a failure is to be looked into.
  Status keep_logs(const Cell& cell, Round* round) {
    const system::Path kept = work_ / "failed" / place_of(cell);
    HONE_CHECK(system_.files->remove_all(kept));
    HONE_CHECK(system_.files->make_directories(kept.parent_path()));
    HONE_CHECK(system_.files->rename(work_ / "round", kept));
    for (Trial& trial : round->trials) {
      if (trial.failure.empty()) continue;
      trial.log = replace_all(trial.log, (work_ / "round").string(), kept.string());
      observer_.line(fmt::format("round {} of {}: arm {} failed: {}", round->number, title_of(cell),
                                 trial.arm, trial.failure));
      observer_.line("its log is kept: " + trial.log);
    }
    return {};
  }

  void note_machine(const std::vector<Round>& rounds, Findings* findings) const {
    std::vector<measure::MachineState> states;
    for (const Round& round : rounds) {
      if (round.valid) states.push_back(round.machine);
    }
    for (Finding& finding :
         measure::state_findings(states, {design_.server_cpus, design_.load_cpus})) {
      // The network card's: they bring the load, and whole CPU counts them.
      if (finding.id == "machine.interrupts" && design_.settings.hosts.load.is_far()) continue;
      findings->push_back(std::move(finding));
    }
  }

  // What holds for rounds read back as well as for those of this run.
  void note_rounds(Findings* findings) const {
    bool without_spinner = false;
    bool killed = false;
    for (const Cell& cell : cells_) {
      for (const Round& round : cell.rounds) {
        without_spinner = without_spinner ||
                          (round.spinner_share == 0 && round.kind != RoundKind::kWithoutSpinner);
        for (const Trial& trial : round.trials) killed = killed || trial.killed;
      }
    }
    const bool said = std::any_of(findings->begin(), findings->end(),
                                  [](const Finding& one) { return one.id == "prove.spinner-off"; });
    if (design_.settings.spinner && without_spinner && !said) {
      findings->push_back({"prove.spinner-off", "warning",
                           "the idle spinner was off in some rounds; they scatter more",
                           "the first run said why; hone doctor shows the machine"});
    }
    for (const Cell& cell : cells_) {
      if (design_.settings.precision <= 0 || cell.wanted < kMostRounds) continue;
      findings->push_back({"prove.precision", "warning",
                           fmt::format("{} rounds of {} do not give the precision asked for",
                                       kMostRounds, title_of(cell)),
                           "ask for a wider interval, or quiet the machine"});
    }
    if (killed) {
      findings->push_back({"prove.killed", "info",
                           "a server did not end when told to after its last slice: it was killed",
                           "its figures are whole; set [server] stop to what ends it"});
    }
  }

  void note_metric(const std::vector<Round>& rounds, Findings* findings) const {
    if (!design_.settings.hosts.load.is_far()) return;
    if (headline_cost(design_, rounds) == whole_cost) return;
    findings->push_back({"prove.whole-cpu", "warning",
                         "the load came over a network, and without the idle spinner in every "
                         "round its work in soft interrupts cannot be counted: the figures are the "
                         "CPU charged to the arms' processes alone",
                         "prove where the spinner may run; its own finding says why it was off"});
  }

  // Counts this run's alone: whoever quietened the machine and runs again starts with none.
  Status check_spoiled(const std::string& why) {
    ++spoiled_;
    if (spoiled_ <= kSpoiledGrace || spoiled_ <= kMostSpoiled * planned()) return {};
    return fail(
        ErrorKind::kMachineUnfit,
        fmt::format("{} rounds had to be repeated in a proof of {}; the last one because {}",
                    spoiled_, planned(), why),
        "quiet the machine (`hone doctor` shows what it sees) and run again: finished "
        "rounds are kept");
  }

  const Design& design_;
  Store& store_;
  system::Path work_;
  system::System& system_;
  Observer& observer_;
  Rig rig_;
  std::vector<Cell> cells_;
  int spoiled_ = 0;
};

}  // namespace

Result<Proof> prove(const Design& design, Store& store, const system::Path& work_folder,
                    system::System& system, Observer& observer) {
  return ProofRun(design, store, work_folder, system, observer).run();
}

}  // namespace hone::pipeline
