// The result in one sentence, for each verdict the one that claims no more than was measured. The
// total over the trained shapes speaks; how many shapes agree follows it, so that a total that is
// saved cannot hide a shape that is worse. Several candidates are counted by what their totals say:
// none of them is called the best, which nobody asked the rounds to find.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

using measure::Verdict;

// In the order in which a reader wants to hear of them.
constexpr std::array<Verdict, 6> kVerdicts = {Verdict::kSaved,  Verdict::kWorse,
                                              Verdict::kFailed, Verdict::kWithheld,
                                              Verdict::kSame,   Verdict::kUnresolved};

// Below, of one candidate: the total, or where none was drawn the first comparison.
measure::Estimate estimate_of(const LoadView& load) {
  if (!load.totals.empty()) return load.totals.front()->estimate;
  const std::vector<const Comparison*> all = load.all();
  return all.empty() ? measure::Estimate{} : all.front()->estimate;
}

Verdict verdict_of(const LoadView& load) {
  if (!load.totals.empty()) return load.totals.front()->verdict;
  const std::vector<const Comparison*> all = load.all();
  return all.empty() ? Verdict::kUnresolved : all.front()->verdict;
}

std::string reason(const LoadView& load, Verdict verdict) {
  for (const Comparison* one : load.all())
    if (one->verdict == verdict && !one->why.empty())
      return load.all().size() == 1 ? one->why : code(one->shape) + ": " + one->why;
  return {};
}

std::string place(const RunView& view, const LoadView& load) {
  std::string text = view.rebuilt ? " on the trained shapes" : "";
  return text + ", at " + code(load.name) + (counts_whole_cpu(view) ? ", whole CPU counted" : "");
}

// "; 6 of 6 shapes saved", or nothing where there is one shape and the sentence said it.
std::string agreement(const LoadView& load) {
  return load.trained.size() < 2 ? "" : "; " + verdict_counts(load.trained);
}

std::string subject_of(const RunView& view) {
  if (!view.rebuilt) return "B";
  return view.run.subject + " " + rebuilt_with(view.variant("B"));
}

std::string result_sentence(const RunView& view, const LoadView& load) {
  const measure::Estimate e = estimate_of(load);
  const std::string who = subject_of(view), where = place(view, load);
  const std::string than = view.rebuilt ? "" : " than A", as = view.rebuilt ? "" : " as A";
  const std::string interval_text = " (95 % interval " + unsigned_interval(e) + ")";
  const Verdict verdict = verdict_of(load);
  switch (verdict) {
    case Verdict::kSaved:
    case Verdict::kWorse:
      return who + " takes " + less_or_more(e) + than + interval_text + where + agreement(load) +
             ".";
    case Verdict::kSame:
      return who + " takes the same CPU per request" + as + " to within " +
             format_percent(view.run.proof.design.settings.smallest_effect) + ": " + estimate(e) +
             where + agreement(load) + ".";
    case Verdict::kUnresolved:
      return "Not resolved: whether " + who + " takes less CPU per request" + than +
             "; the effect seen is " + estimate(e) + where + agreement(load) + ".";
    case Verdict::kWithheld:
    case Verdict::kFailed: {
      const std::string why = reason(load, verdict);
      return std::string(verdict == Verdict::kFailed ? "An arm failed" : "Verdict withheld") +
             (view.rebuilt ? ", nothing is claimed for " + who : ", nothing is claimed") + where +
             agreement(load) + (why.empty() ? "" : ": " + why) + ".";
    }
  }
  return {};
}

template <typename Judged>  // Comparison or Total
bool any(const std::vector<const Judged*>& judged, Verdict verdict) {
  return std::any_of(judged.begin(), judged.end(),
                     [&](const Judged* one) { return one->verdict == verdict; });
}

// "2 worse (C, D), 1 same (B)".
std::string candidates_by_verdict(const RunView& view, const LoadView& load) {
  constexpr std::size_t kMostNamed = 6;  // more are in the table
  std::vector<std::string> groups;
  for (const Verdict verdict : kVerdicts) {
    std::vector<std::string> names;
    for (const Total* total : load.totals) {
      if (total->verdict != verdict) continue;
      const std::string label = view.label_of(total->b);
      names.push_back(total->b + (label.empty() ? "" : " " + code(label)));
    }
    if (names.empty()) continue;
    std::string group = fmt::format("{} {}", names.size(), measure::name(verdict));
    if (names.size() <= kMostNamed) group += " (" + join(names, ", ") + ")";
    groups.push_back(std::move(group));
  }
  return join(groups, ", ");
}

std::string several_sentence(const RunView& view, const LoadView& load) {
  return plural(load.totals.size(), "candidate") + " against A" + place(view, load) + ": " +
         candidates_by_verdict(view, load) + ".";
}

// The trained shapes decide, the worst of them first.
Tone headline_tone(const LoadView& load) {
  if (any(load.trained, Verdict::kFailed) || any(load.trained, Verdict::kWorse)) return Tone::kBad;
  if (any(load.trained, Verdict::kWithheld)) return Tone::kNote;
  if (load.totals.size() < 2) return tone_of(verdict_of(load));
  if (any(load.totals, Verdict::kSaved)) return Tone::kGood;
  return any(load.totals, Verdict::kUnresolved) ? Tone::kNote : Tone::kPlain;
}

Sentence other_load(const RunView& view, const LoadView& load) {
  std::string text = "At " + code(load.name);
  if (load.asked && load.asked->rate > 0)
    text += " (" + rate(load.asked->rate) + " requests/s, " + load.asked->arrivals + ")";
  if (view.several)
    return {text + ": " + candidates_by_verdict(view, load) + ".", headline_tone(load)};
  const Verdict verdict = verdict_of(load);
  text += ": " + std::string(measure::name(verdict));
  if (verdict != Verdict::kFailed && verdict != Verdict::kWithheld)
    text += ", " + estimate(estimate_of(load));
  return {text + agreement(load) + ".", headline_tone(load)};
}

Sentence untrained_sentence(const RunView& view, const LoadView& load) {
  if (load.untrained.empty())
    return {
        "No untrained shape was measured: what traffic unlike the training gains or loses is "
        "not known.",
        Tone::kNote};
  const bool worse = any(load.untrained, Verdict::kWorse),
             failed = any(load.untrained, Verdict::kFailed);
  return {"Shapes that were not trained (*), at " + code(load.name) + ": " +
              verdict_counts(load.untrained, view.several ? "comparison" : "shape") +
              (worse || failed ? "." : "; none is worse."),
          worse || failed ? Tone::kBad : Tone::kPlain};
}

std::optional<Sentence> saved_time(const RunView& view, const LoadView& load) {
  double low = 0, high = 0;
  std::size_t saved = 0;
  for (const Comparison* one : load.trained) {
    if (one->verdict != Verdict::kSaved) continue;
    low = saved == 0 ? one->us_saved : std::min(low, one->us_saved);
    high = saved == 0 ? one->us_saved : std::max(high, one->us_saved);
    ++saved;
  }
  if (saved == 0) return std::nullopt;
  const std::string amount = saved == 1 ? microseconds(low) : microsecond_range(low, high);
  return Sentence{(saved == load.trained.size() ? "In time, a request takes "
                                                : "In time, where saved, a request takes ") +
                  amount + " us less" + (saved > 1 ? ", by " + view.row_name() + "." : ".")};
}

std::optional<Sentence> unresolved_sentence(const LoadView& load) {
  double detectable = 0;
  int needed = 0;
  for (const Comparison* one : load.trained) {
    if (one->verdict != Verdict::kUnresolved) continue;
    detectable = std::max(detectable, one->smallest_detectable);
    needed = std::max(needed, one->rounds_needed.value_or(0));
  }
  if (detectable <= 0) return std::nullopt;
  std::string text = "Where it is unresolved, effects of up to " + format_percent(detectable) +
                     " could have been missed";
  if (needed > 0) text += "; the effects seen would take up to " + plural(needed, "round");
  return Sentence{text + ".", Tone::kNote};
}

std::optional<Sentence> control_sentence(const RunView& view, const LoadView& load) {
  double floor = 0;
  std::string shape;
  for (const Comparison* one : load.all())
    if (one->floor >= floor) floor = one->floor, shape = view.label(*one);
  if (floor <= 0) return std::nullopt;  // no round was measured
  return Sentence{
      "Noise: the A/A (a byte copy of A against A, in the same rounds) could hide up to " +
      format_percent(floor) +
      (load.all().size() > 1 ? (view.several ? ", beside " : ", on ") + code(shape) : "") +
      "; nothing below " + (view.several ? "an arm's" : "a shape's") +
      " own floor is called saved or worse."};
}

std::string when(const RunValues& run) {
  if (run.started_at.empty()) return {};
  return run.started_at + (run.wall_s > 0 ? ", " + format_duration(run.wall_s) + " in all" : "");
}

void add_fact(Terms* terms, const std::string& term, const std::string& text) {
  if (!text.empty()) terms->items.push_back({term, text});
}

std::string rounds_fact(const Proof& proof) {
  if (proof.rounds.empty()) return {};
  const Prove& settings = proof.design.settings;
  return plural(static_cast<std::size_t>(settings.rounds), "round") + " of " +
         plural(static_cast<std::size_t>(settings.slices), "slice") + " an arm, " +
         format_duration(settings.slice_s) + " each; seed " + std::to_string(settings.seed);
}

}  // namespace

std::string verdict_counts(const std::vector<const Comparison*>& counted, const std::string& what) {
  std::vector<std::string> counts;
  for (const Verdict verdict : kVerdicts) {
    const auto n = std::count_if(counted.begin(), counted.end(),
                                 [&](const Comparison* one) { return one->verdict == verdict; });
    if (n == 0) continue;
    const std::string word = measure::name(verdict);
    counts.push_back(counts.empty()
                         ? fmt::format("{} of {} {}", n, plural(counted.size(), what), word)
                         : fmt::format("{} {}", n, word));
  }
  return join(counts, ", ");
}

std::string title(const RunView& view) {
  const Design& design = view.run.proof.design;
  if (design.base.name.empty()) return view.run.subject;
  if (view.several) {
    const std::string who = view.run.subject.empty() ? "" : view.run.subject + ": ";
    return who + plural(design.candidates.size(), "candidate") + " against A";
  }
  if (!view.rebuilt)
    return view.run.subject.empty() ? "A against B" : view.run.subject + ": B against A";
  return view.run.subject + ": " + view.variant("B") + " against " + view.variant("A");
}

Sentence headline(const RunView& view) {
  if (view.loads.empty())
    return {"Nothing was proved in this run: it has no comparison to report.", Tone::kNote};
  const LoadView& load = view.loads.front();
  return {view.several ? several_sentence(view, load) : result_sentence(view, load),
          headline_tone(load)};
}

std::vector<Sentence> lead(const RunView& view) {
  std::vector<Sentence> sentences;
  if (view.loads.empty()) return sentences;
  const LoadView& first = view.loads.front();
  if (const auto time = saved_time(view, first)) sentences.push_back(*time);
  if (auto far = far_load_sentence(view, first)) sentences.push_back(*std::move(far));
  if (auto whole = whole_cpu_sentence(view, first)) sentences.push_back(*std::move(whole));
  if (const auto missed = unresolved_sentence(first)) sentences.push_back(*missed);
  for (std::size_t i = 1; i < view.loads.size(); ++i)
    sentences.push_back(other_load(view, view.loads[i]));
  if (view.rebuilt) sentences.push_back(untrained_sentence(view, first));
  if (auto control = control_sentence(view, first)) sentences.push_back(*std::move(control));
  return sentences;
}

Terms facts(const RunView& view) {
  Terms terms{"What was compared", {}};
  const RunValues& run = view.run;
  add_fact(&terms, "subject", run.summary);
  add_fact(&terms, "source", run.source.text);
  for (const Arm& arm : view.arms()) {
    std::string text = (arm.label.empty() ? "" : arm.label + ": ") + code(arm.variant);
    if (!arm.sha256.empty()) text += ", SHA-256 " + code(tag(arm.sha256)) + "...";
    if (arm.name == copy_name(run.proof.design.base)) text = "a byte copy of A, for the noise";
    add_fact(&terms, arm.name, text);
  }
  if (!run.tools.version.empty())
    add_fact(&terms, "compiler", "clang and lld " + run.tools.version);
  add_fact(&terms, "proof", rounds_fact(run.proof));
  add_fact(&terms, "measured", when(run));
  return terms;
}

}  // namespace hone::pipeline::report
