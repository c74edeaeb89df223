#include "pipeline/report/sweep_report.h"

#include "pipeline/report/html.h"
#include "pipeline/report/markdown.h"
#include "pipeline/report/sweep_sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(SweepValues, run, sweep)

report::Model make_sweep_report(const SweepValues& values) {
  using namespace report;
  const RunView view(values.run);
  Model model;
  const bool two = !values.sweep.design.design.candidates.empty();
  model.title = values.run.subject + (two ? ": sweep of A and B" : ": sweep");
  model.headline = sweep_headline(values);
  model.lead = sweep_lead(values);
  model.facts = facts(view);
  for (const ShapeSweep& shape : values.sweep.shapes)
    model.sections.push_back(shape_sweep_section(values, shape));
  if (Section findings = findings_section(view); !findings.parts.empty())
    model.sections.push_back(std::move(findings));
  model.sections.push_back(sweep_conditions_section(values));
  model.sections.push_back(sweep_points_section(values));
  model.sections.push_back(machine_section(view));
  model.sections.push_back(repeat_section(view));
  model.sections.push_back(sweep_glossary_section(values));
  return model;
}

Json make_sweep_json(const SweepValues& values) {
  Json json = make_report_json(values.run);
  json["headline"] = report::sweep_headline(values).text;
  Json settings = values.sweep.design.settings;
  settings.erase("rates");  // each shape has its own
  json["sweep"] = {{"settings", std::move(settings)}, {"shapes", values.sweep.shapes}};
  return json;
}

Status write_sweep_reports(const SweepValues& values, const system::Path& folder,
                           system::Files& files) {
  const report::Model model = make_sweep_report(values);
  HONE_CHECK(files.write(folder / "report.json", dump(make_sweep_json(values))));
  HONE_CHECK(files.write(folder / "report.md", report::render_markdown(model)));
  return files.write(folder / "report.html", report::render_html(model));
}

}  // namespace hone::pipeline
