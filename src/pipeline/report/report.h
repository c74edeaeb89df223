// Stage 7: report.json, report.md, report.html and the terminal's summary, from finished values.
#pragma once

#include <string>
#include <vector>

#include "pipeline/build/build.h"
#include "pipeline/optimize/optimize.h"
#include "pipeline/profile/profile.h"
#include "pipeline/prove/proof.h"
#include "pipeline/recipe/recipe.h"
#include "pipeline/report/model.h"
#include "system/files.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

struct RunValues {                      // everything a run left behind; absent parts are empty
  std::string command;                  // as typed, to repeat it
  std::string started_at, finished_at;  // wall time
  double wall_s = 0;
  std::string subject, summary;
  std::string recipe_sha256;  // of the recipe as loaded, `--set` included; may be empty
  FetchedSource source;
  toolchain::Toolchain tools;
  std::vector<BuiltBinary> builds;  // baseline, instrumented, optimized
  std::vector<Leg> legs;
  MergedProfile profile;
  Product product;
  Json machine;
  Proof proof;
  Findings findings;
};
HONE_JSON(RunValues)

report::Model make_run_report(const RunValues&);
Json make_report_json(const RunValues&);  // docs/report-schema.md, schema 1

// Writes report.json, report.md and report.html into `folder`.
Status write_reports(const RunValues&, const system::Path& folder, system::Files&);

}  // namespace hone::pipeline
