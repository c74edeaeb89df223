// A run's values arranged as a report tells them: by load, the headline's first, its shapes in the
// recipe's order and on each the candidates in theirs. Points into the RunValues it was made from.
#pragma once

#include <string>
#include <vector>

#include "pipeline/report/report.h"

namespace hone::pipeline::report {

struct LoadView {
  std::string name;
  const Load* asked = nullptr;       // as the recipe or command line has it
  std::vector<const Total*> totals;  // of each candidate; empty when none was drawn
  std::vector<const Comparison*> trained, untrained;
  std::vector<const Comparison*> all() const;  // trained, then untrained
};

struct RunView {
  explicit RunView(const RunValues&);

  const RunValues& run;
  // Two builds of one source: `trained` and `rebuilt` mean something. False for `hone compare`.
  bool rebuilt = false;
  // Several candidates: rows are theirs, and a column is no longer B's but of the row's own arm.
  bool several = false;
  std::vector<LoadView> loads;

  const ResolvedLoad* resolved(const std::string& load, const std::string& shape) const;
  // Of the kind that a verdict is drawn from; the others are checks.
  bool is_counted(const Round&) const;
  // Of the block that the comparison was drawn from; the counted kind, spoiled ones too.
  std::vector<const Round*> rounds(const Comparison&) const;
  // Of one arm in them, valid ones only.
  std::vector<const Trial*> trials(const Comparison&, const std::string& arm) const;
  const subject::Shape* shape(const std::string& name) const;
  const BuiltBinary* build(const std::string& variant) const;
  // The shape, with * when it was not trained. With several candidates "B", or "B h1" where there
  // are several shapes too: `row_name()` is what heads a column of these.
  std::string label(const Comparison&) const;
  std::string row_name() const;
  std::string b() const;  // heads a column of candidates' figures: "B", or "own" where several
  std::string variant(const std::string& arm) const;
  std::string label_of(const std::string& arm) const;  // what it was named; "" where it was not
  // The base and the candidates, and where rounds were measured the base's copy; empty without a
  // proof or a sweep.
  std::vector<Arm> arms() const;
  // The shape of a round, and with several candidates those it was measured with: "h1, B+C".
  std::string place(const Round&) const;
  Findings findings() const;  // the run's and the proof's, the gravest first
};

std::string round_name(const Round&);  // "3", "2 in turn"

}  // namespace hone::pipeline::report
