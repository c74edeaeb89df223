// The pipeline: recipe, build, train, profile, optimize, prove, report, in this order here and
// nowhere else. Each stage's value is on disk as JSON before the next begins.
#pragma once

#include <string>
#include <vector>

#include "pipeline/observer.h"
#include "pipeline/plan/plan.h"
#include "pipeline/report/report.h"
#include "pipeline/report/sweep_report.h"
#include "system/system.h"

namespace hone::pipeline {

enum class Stage { kRecipe, kBuild, kTrain, kProfile, kOptimize, kProve, kReport };
const char* name(Stage stage);
Result<Stage> parse_stage(const std::string& text);

struct RunOptions {
  system::Path recipe;            // file or folder
  std::vector<std::string> sets;  // KEY=VALUE
  PlanOptions plan;
  std::string run_name = "default";
  system::Path work = ".hone";  // holds .hone/<subject>
  system::Path output;          // of out/ and the reports; empty: the run's 7-report
  Stage until = Stage::kReport;
  std::string command;  // as typed
  system::Path flush_library;
};

struct RunOutcome {
  Stage reached = Stage::kRecipe;
  RunValues values;
  system::Path output;  // where reports and out/ are
};

struct Prepared {  // stage 1: nothing has been built yet
  Recipe recipe;
  Plan plan;
  std::vector<int> server_cpus, load_cpus;
};

// Reads and checks everything that can be checked without doing anything: also all of `--dry-run`.
Result<Prepared> prepare(const RunOptions&, system::System&);

Result<RunOutcome> run(const RunOptions&, const Prepared&, system::System&, Observer&);

struct SweepOutcome {
  SweepValues values;
  system::Path output;  // where the reports are
};

// Builds what is missing as run() does, then sweeps the baseline and the optimized build over the
// planned shapes. `options.output`: of the reports; empty: the run's folder "sweep".
Result<SweepOutcome> sweep(const RunOptions& options, const SweepSettings&, const Prepared&,
                           system::System&, Observer&);

// The reports again, from what the run left on disk; measures nothing. kNotFound when there is
// none, kLocked while a run writes there.
Result<RunOutcome> report_again(const RunOptions&, const Prepared&, system::System&);

// The recipe's CPUs, or hone's choice: the last ones for the server (one per worker), the rest for
// load and origin. kMachineUnfit with fewer than two CPUs; kRecipe when the two lists meet.
Status choose_cpus(const Cpus& wanted, int workers, const std::vector<int>& allowed,
                   std::vector<int>* server, std::vector<int>* load);

}  // namespace hone::pipeline
