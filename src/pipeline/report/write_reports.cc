#include "pipeline/report/html.h"
#include "pipeline/report/markdown.h"
#include "pipeline/report/report.h"

namespace hone::pipeline {

Status write_reports(const RunValues& run, const system::Path& folder, system::Files& files) {
  const report::Model model = make_run_report(run);
  HONE_CHECK(files.write(folder / "report.json", dump(make_report_json(run))));
  HONE_CHECK(files.write(folder / "report.md", report::render_markdown(model)));
  return files.write(folder / "report.html", report::render_html(model));
}

}  // namespace hone::pipeline
