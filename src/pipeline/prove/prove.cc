// Rounds go through shapes and loads in turn (round 1 of all, then round 2 of all), so that hours
// of drift fall on all of them alike and a cut proof has equally many rounds of each.
#include "pipeline/prove/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "pipeline/prove/calibrate.h"
#include "pipeline/prove/round.h"
#include "pipeline/prove/round_files.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

// Above this share of spoiled rounds the machine is unfit for a proof; the first few do not count,
// because one in four rounds is not yet a share.
constexpr double kMostSpoiled = 0.2;
constexpr int kSpoiledGrace = 4;
// Raised when rounds are measured or judged in another way: old ones do not stand beside new ones.
constexpr int kRoundVersion = 3;

// Of the first arm that failed; "" when none did.
std::string failure_of(const Round& round) {
  for (const Trial& trial : round.trials) {
    if (!trial.failure.empty()) return "arm " + trial.arm + ": " + trial.failure;
  }
  return "";
}

struct Cell {  // one shape at one load
  const subject::Shape* shape = nullptr;
  const Load* load = nullptr;
  std::optional<RoundFiles> files;
  ResolvedLoad resolved;
  std::vector<Round> rounds;
  int counted = 0;
  bool failed = false;

  void add(Round round) {
    if (round.valid) ++counted;
    failed = failed || !failure_of(round).empty();
    rounds.push_back(std::move(round));
  }
};

// Everything that makes rounds comparable with each other. Not the number of rounds: more of them
// are added to the ones that are there.
Fingerprint cell_fingerprint(const Design& design, const subject::Shape& shape, const Load& load) {
  Fingerprint print;
  print.add("round version", Json(kRoundVersion));
  print.add("machine", design.machine);
  for (const Arm& arm : design.arms) {
    Json json = arm;
    json.erase("binary");  // its place says nothing; sha256 is what it is
    json["server"] = subject::behaviour(arm.server);
    print.add("arm " + arm.name, json);
  }
  print.add("origin", Json(design.with_origin));
  Json what = shape;
  what.erase("train");  // was it trained? a matter of the binary
  what.erase("share");  // and of the total
  print.add("shape", what);
  print.add("load", Json(load));
  Json settings = design.settings;
  for (const char* key : {"rounds", "smallest_effect", "cpus"}) settings.erase(key);
  print.add("prove", settings);
  print.add("cpus", Json{{"server", design.server_cpus}, {"load", design.load_cpus}});
  return print;
}

class ProofRun {
 public:
  ProofRun(const Design& design, Store& store, const system::Path& work, system::System& system,
           Observer& observer)
      : design_(design), store_(store), work_(work), system_(system), observer_(observer) {}

  Result<Proof> run() {
    HONE_CHECK(read_back());
    if (!finished()) {
      HONE_TRY(rig_, make_rig(design_, system_));
      for (const Finding& finding : rig_.findings) observer_.finding(finding);
      HONE_CHECK(find_rates());
      HONE_CHECK(measure_all());
    }
    Proof proof;
    proof.design = design_;
    proof.findings = rig_.findings;
    note_rounds(&proof.findings);
    for (Cell& cell : cells_) {
      proof.loads.push_back(cell.resolved);
      std::move(cell.rounds.begin(), cell.rounds.end(), std::back_inserter(proof.rounds));
    }
    draw_comparisons(&proof);
    return proof;
  }

 private:
  Status read_back() {
    for (const Load& load : design_.loads) {
      for (const auto& shape : design_.shapes) {
        Cell cell;
        cell.shape = &shape;
        cell.load = &load;
        const std::string name = load.name + "." + shape.name;
        HONE_TRY(const auto folder, store_.open("rounds", cell_fingerprint(design_, shape, load)));
        HONE_TRY(const auto changed, store_.use("6-prove", name, folder));
        for (const std::string& change : changed) {
          observer_.line("rounds of " + name + ": measured again, because of " + change);
        }
        cell.files.emplace(folder, system_.files.get());
        HONE_TRY(auto rounds, cell.files->read());
        for (Round& round : rounds) {
          if (round.number > design_.settings.rounds) continue;
          if (const std::string why = failure_of(round); !why.empty()) {
            // Whoever runs again has mended something: the failure is not the result for ever.
            observer_.line(
                fmt::format("round {} of {} failed ({}): measured again", round.number, name, why));
            HONE_CHECK(cell.files->set_aside(round));
            continue;
          }
          cell.add(std::move(round));
        }
        if (auto resolved = cell.files->read_rate()) cell.resolved = *resolved;
        cells_.push_back(std::move(cell));
      }
    }
    const auto done = std::count_if(cells_.begin(), cells_.end(),
                                    [](const Cell& cell) { return cell.counted > 0; });
    if (done > 0) {
      int counted = 0;
      for (const Cell& cell : cells_) counted += cell.counted;
      observer_.line(fmt::format("rounds: {} of {} found finished", counted, planned()));
    }
    return {};
  }

  int planned() const { return static_cast<int>(cells_.size()) * design_.settings.rounds; }

  bool finished() const {
    return std::all_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
      return cell.failed || cell.counted >= design_.settings.rounds;
    });
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
      observer_.line(fmt::format("{} {}: {:.0f} requests/s, {} ({})", cell.load->name,
                                 cell.shape->name, cell.resolved.rate, cell.load->arrivals,
                                 cell.resolved.bound));
    }
    return {};
  }

  Status measure_all() {
    for (int number = 1; number <= design_.settings.rounds; ++number) {
      for (Cell& cell : cells_) {
        if (cell.failed || cell.counted >= number) continue;
        HONE_CHECK(measure_round(&cell, number));
      }
    }
    return {};
  }

  Status measure_round(Cell* cell, int number) {
    for (;;) {
      HONE_CHECK(system::check_interrupted());
      int attempt = 1;
      for (const Round& round : cell->rounds) attempt += round.number == number ? 1 : 0;
      int counted = 0;
      for (const Cell& each : cells_) counted += each.counted;
      observer_.progress(
          fmt::format("round {} of {}, {}", number, cell->load->name, cell->shape->name), counted,
          planned());
      auto round = run_round(design_, *cell->shape, cell->resolved, number, attempt,
                             work_ / "round", rig_, system_);
      if (!round) {
        return tl::make_unexpected(while_doing(
            std::move(round).error(), fmt::format("round {} of shape '{}' at load '{}'", number,
                                                  cell->shape->name, cell->load->name)));
      }
      if (!failure_of(*round).empty()) HONE_CHECK(keep_logs(*cell, &*round));
      HONE_CHECK(cell->files->write(*round));
      const bool valid = round->valid;
      if (!valid) {
        observer_.line(fmt::format("round {} of {}, {} is repeated: {}", number, cell->load->name,
                                   cell->shape->name, round->why_invalid));
      }
      cell->add(*std::move(round));
      if (valid) return {};
      HONE_CHECK(check_spoiled(cell->rounds.back().why_invalid));
    }
  }

  // The server's files would go with the next round; a failure is to be looked into.
  Status keep_logs(const Cell& cell, Round* round) {
    const system::Path kept = work_ / "failed" / (cell.load->name + "." + cell.shape->name);
    HONE_CHECK(system_.files->remove_all(kept));
    HONE_CHECK(system_.files->make_directories(kept.parent_path()));
    HONE_CHECK(system_.files->rename(work_ / "round", kept));
    for (Trial& trial : round->trials) {
      if (trial.failure.empty()) continue;
      trial.log = replace_all(trial.log, (work_ / "round").string(), kept.string());
      observer_.line(fmt::format("round {} of {}, {}: arm {} failed: {}", round->number,
                                 cell.load->name, cell.shape->name, trial.arm, trial.failure));
      observer_.line("its log is kept: " + trial.log);
    }
    return {};
  }

  // What holds for rounds read back as well as for those of this run.
  void note_rounds(Findings* findings) const {
    bool without_spinner = false;
    bool killed = false;
    for (const Cell& cell : cells_) {
      for (const Round& round : cell.rounds) {
        without_spinner = without_spinner || round.spinner_share == 0;
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
    if (killed) {
      findings->push_back({"prove.killed", "info",
                           "a server did not end when told to after its last slice: it was killed",
                           "its figures are whole; set [server] stop to what ends it"});
    }
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
