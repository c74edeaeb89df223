// The report of a sweep: report.json with a member `sweep`, report.md, report.html and the
// terminal's summary.
#pragma once

#include "pipeline/report/report.h"
#include "pipeline/sweep/results.h"

namespace hone::pipeline {

struct SweepValues {
  RunValues run;  // of its proof the design and the findings alone
  Sweep sweep;
};
HONE_JSON(SweepValues)

report::Model make_sweep_report(const SweepValues&);
// docs/report-schema.md: what a run's report has, with `sweep` beside it.
Json make_sweep_json(const SweepValues&);
Status write_sweep_reports(const SweepValues&, const system::Path& folder, system::Files&);

}  // namespace hone::pipeline
