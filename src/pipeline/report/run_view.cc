// The headline speaks of the `busy` load, where the CPU that is saved is wanted; a fixed rate comes
// after it. Neither stands for the other, so each load keeps its own total and table.
#include "pipeline/report/run_view.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hone::pipeline::report {
namespace {

constexpr int kLeastGravity = 2;

int gravity(const Finding& finding) {
  return finding.severity == "serious" ? 0 : finding.severity == "warning" ? 1 : kLeastGravity;
}

LoadView& find_or_add(std::vector<LoadView>* loads, const std::string& name) {
  for (LoadView& load : *loads)
    if (load.name == name) return load;
  loads->emplace_back();
  loads->back().name = name;
  return loads->back();
}

}  // namespace

std::vector<const Comparison*> LoadView::all() const {
  std::vector<const Comparison*> both = trained;
  both.insert(both.end(), untrained.begin(), untrained.end());
  return both;
}

RunView::RunView(const RunValues& values)
    : run(values),
      rebuilt(!values.builds.empty()),
      several(values.proof.design.candidates.size() > 1) {
  const Proof& proof = run.proof;
  for (const Load& load : proof.design.loads) find_or_add(&loads, load.name).asked = &load;
  for (const Comparison& comparison : proof.comparisons) {
    if (comparison.role != "proof" && comparison.role != "held-out") continue;
    LoadView& load = find_or_add(&loads, comparison.load);
    (comparison.trained || !rebuilt ? load.trained : load.untrained).push_back(&comparison);
  }
  for (const Total& total : proof.totals) find_or_add(&loads, total.load).totals.push_back(&total);
  std::erase_if(loads,
                [](const LoadView& load) { return load.all().empty() && load.totals.empty(); });
  std::vector<LoadView> fixed;
  for (LoadView& load : std::exchange(loads, {}))
    (load.asked && load.asked->busy > 0 ? loads : fixed).push_back(std::move(load));
  std::move(fixed.begin(), fixed.end(), std::back_inserter(loads));
}

const ResolvedLoad* RunView::resolved(const std::string& load, const std::string& shape) const {
  for (const ResolvedLoad& one : run.proof.loads)
    if (one.load == load && one.shape == shape) return &one;
  return nullptr;
}

bool RunView::is_counted(const Round& round) const {
  return round.kind == counted_kind(run.proof.design.settings);
}

std::vector<const Round*> RunView::rounds(const Comparison& one) const {
  std::vector<const Round*> found;
  for (const Round& round : run.proof.rounds) {
    if (is_counted(round) && round.load == one.load && round.shape == one.shape &&
        block_of(round) == one.block)
      found.push_back(&round);
  }
  return found;
}

std::vector<const Trial*> RunView::trials(const Comparison& one, const std::string& arm) const {
  std::vector<const Trial*> found;
  for (const Round* round : rounds(one)) {
    if (!round->valid) continue;
    for (const Trial& trial : round->trials)
      if (trial.arm == arm) found.push_back(&trial);
  }
  return found;
}

const subject::Shape* RunView::shape(const std::string& name) const {
  for (const subject::Shape& one : run.proof.design.shapes)
    if (one.name == name) return &one;
  return nullptr;
}

const BuiltBinary* RunView::build(const std::string& variant) const {
  for (const BuiltBinary& one : run.builds)
    if (one.variant == variant) return &one;
  return nullptr;
}

std::string round_name(const Round& round) {
  const std::string number = std::to_string(round.number);
  return round.kind == RoundKind::kSlices ? number : number + " " + name(round.kind);
}

std::string RunView::label(const Comparison& comparison) const {
  std::string shape = comparison.shape + (rebuilt && !comparison.trained ? " *" : "");
  if (!several) return shape;
  return run.proof.design.shapes.size() > 1 ? comparison.b + " " + shape : comparison.b;
}

std::string RunView::row_name() const {
  if (!several) return "shape";
  return run.proof.design.shapes.size() > 1 ? "arm and shape" : "arm";
}

std::string RunView::b() const { return several ? "own" : candidate_name(0); }

std::string RunView::variant(const std::string& arm) const {
  for (const Arm& one : arms_of(run.proof.design))
    if (one.name == arm) return one.variant;
  return arm;
}

std::string RunView::label_of(const std::string& arm) const {
  for (const Arm& one : arms_of(run.proof.design))
    if (one.name == arm) return one.label;
  return "";
}

std::vector<Arm> RunView::arms() const {
  const Design& design = run.proof.design;
  if (design.base.name.empty()) return {};
  std::vector<Arm> arms = arms_of(design);
  if (run.proof.rounds.empty()) return arms;
  arms.push_back(design.base);
  arms.back().name = copy_name(design.base);
  return arms;
}

std::string RunView::place(const Round& round) const {
  return several ? round.shape + ", " + block_of(round) : round.shape;
}

Findings RunView::findings() const {
  Findings all = run.findings;
  for (const Finding& finding : run.proof.findings) {
    // The proof's findings may have been collected into the run's on the way.
    const bool known = std::any_of(all.begin(), all.end(), [&](const Finding& other) {
      return other.id == finding.id && other.text == finding.text;
    });
    if (!known) all.push_back(finding);
  }
  Findings sorted;
  for (int grave = 0; grave <= kLeastGravity; ++grave)
    for (const Finding& finding : all)
      if (gravity(finding) == grave) sorted.push_back(finding);
  return sorted;
}

}  // namespace hone::pipeline::report
