// A run's report in reading order: the result, what it rests on, the doubts, the conditions, the
// costs, and how to get it again. Findings come before the questions: they may unsay the result.
#include "pipeline/report/report.h"
#include "pipeline/report/sections.h"

namespace hone::pipeline {

report::Model make_run_report(const RunValues& run) {
  using namespace report;
  const RunView view(run);
  Model model;
  model.title = title(view);
  model.headline = headline(view);
  model.lead = lead(view);
  model.facts = facts(view);
  const auto add = [&](std::optional<Section> section) {
    if (section && !section->parts.empty()) model.sections.push_back(*std::move(section));
  };
  if (!view.loads.empty()) {
    add(total_section(view));
    const std::vector<Forest::Tick> axis = effect_axis(view);
    for (const LoadView& load : view.loads) add(load_section(view, load, axis));
    add(work_section(view));
  }
  add(findings_section(view));
  if (!view.loads.empty()) {
    add(questions_section(view));
    add(load_conditions_section(view));
    add(counters_section(view));
    add(latency_section(view));
    add(statistics_section(view));
    add(environment_section(view));
  }
  add(profile_section(view));
  add(build_section(view));
  add(machine_section(view));
  add(repeat_section(view));
  if (!view.loads.empty()) add(glossary_section(view));
  return model;
}

}  // namespace hone::pipeline
