// A run's values arranged as a report tells them: by load, the headline's first, its shapes in the
// recipe's order. Points into the RunValues it was made from.
#pragma once

#include <string>
#include <vector>

#include "pipeline/report/report.h"

namespace hone::pipeline::report {

struct LoadView {
  std::string name;
  const Load* asked = nullptr;   // as the recipe or command line has it
  const Total* total = nullptr;  // nothing when no total was drawn
  std::vector<const Comparison*> trained, untrained;
  std::vector<const Comparison*> all() const;  // trained, then untrained
};

struct RunView {
  explicit RunView(const RunValues&);

  const RunValues& run;
  // Two builds of one source: `trained` and `rebuilt` mean something. False for `hone compare`.
  bool rebuilt = false;
  std::vector<LoadView> loads;

  const ResolvedLoad* resolved(const std::string& load, const std::string& shape) const;
  // Of the kind that a verdict is drawn from; the others are checks.
  bool is_counted(const Round&) const;
  // Of the counted kind, spoiled ones too.
  std::vector<const Round*> rounds(const std::string& load, const std::string& shape) const;
  // Of one arm, counted rounds only.
  std::vector<const Trial*> trials(const std::string& load, const std::string& shape,
                                   const std::string& arm) const;
  const subject::Shape* shape(const std::string& name) const;
  const BuiltBinary* build(const std::string& variant) const;
  std::string label(const Comparison&) const;  // the shape, with * when it was not trained
  std::string variant(const std::string& arm) const;
  Findings findings() const;  // the run's and the proof's, the gravest first
};

std::string round_name(const Round&);  // "3", "2 in turn"

}  // namespace hone::pipeline::report
