// What a sceptical reader asks next, answered from this run's own figures. A question whose figures
// are missing is answered with that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

using measure::Verdict;

std::vector<const Comparison*> every_comparison(const RunView& view) {
  std::vector<const Comparison*> all;
  for (const LoadView& load : view.loads)
    for (const Comparison* one : load.all())
      if (one->rounds >= 2) all.push_back(one);
  return all;
}

std::string where(const RunView& view, const Comparison& one) {
  return code(view.label(one)) + " at " + code(one.load);
}

Terms::Item noise(const RunView& view) {
  const std::vector<const Comparison*> all = every_comparison(view);
  const char* question = "How noisy is this machine, and what is A/A?";
  if (all.empty()) return {question, "Not known: no comparison has two counted rounds."};
  const auto by_floor = std::minmax_element(
      all.begin(), all.end(),
      [](const Comparison* a, const Comparison* b) { return a->floor < b->floor; });
  const auto by_sd = std::minmax_element(
      all.begin(), all.end(),
      [](const Comparison* a, const Comparison* b) { return a->pair_sd < b->pair_sd; });
  const Comparison& worst = **by_floor.second;
  std::string text =
      "A/A compares A with A', a byte copy of it that runs in the same rounds: whatever it shows "
      "is "
      "noise. The widest interval is " +
      interval(worst.aa) + " (" + where(view, worst) +
      "); the floor it sets, the larger end of that interval, is " +
      format_percent((*by_floor.first)->floor) + " to " + format_percent(worst.floor) +
      " over the shapes. One round's effect scatters by " +
      format_percent((*by_sd.first)->pair_sd) + " to " + format_percent((*by_sd.second)->pair_sd) +
      " (standard deviation). No effect below its own floor is called saved or worse.";
  return {question, text};
}

Terms::Item order(const RunView& view) {
  std::string text =
      "No. In each round the load visits the arms in short slices, in an order drawn from "
      "seed " +
      std::to_string(view.run.proof.design.settings.seed) +
      " so that every arm follows every other equally often and never itself";
  const std::vector<Round>& rounds = view.run.proof.rounds;
  const auto first = std::find_if(rounds.begin(), rounds.end(),
                                  [&](const Round& round) { return view.is_counted(round); });
  if (first != rounds.end() && !first->order.empty()) {
    std::vector<std::string> names;
    for (const int arm : first->order)
      names.push_back(static_cast<std::size_t>(arm) < first->trials.size()
                          ? first->trials[static_cast<std::size_t>(arm)].arm
                          : "?");
    text += ". The first round went " + join(names, " ");
  }
  return {"Was the order fixed?", text + "."};
}

Terms::Item repeats(const RunView& view) {
  const std::vector<Round>& rounds = view.run.proof.rounds;
  std::size_t spoiled = 0;
  std::vector<std::string> reasons;
  for (const Round& round : rounds) {
    if (round.valid) continue;
    ++spoiled;
    if (std::find(reasons.begin(), reasons.end(), round.why_invalid) == reasons.end())
      reasons.push_back(round.why_invalid);
  }
  std::string text = "None of " + plural(rounds.size(), "round") + " was.";
  if (spoiled > 0) {
    // Three reasons show the kind; the table under "Machine state" has all.
    if (reasons.size() > 3) reasons.resize(3), reasons.emplace_back("and others");
    text = fmt::format(
        "{} of {} ({}): {}.", spoiled, plural(rounds.size(), "round"),
        format_percent(static_cast<double>(spoiled) / static_cast<double>(rounds.size())),
        join(reasons, "; "));
  }
  text +=
      " Only the environment's fault (steal, foreign CPU, run delay, a late generator, a drifting "
      "clock) "
      "repeats a round, judged without looking at the arms' CPU; above 20 % repeats the machine is "
      "called "
      "unfit. An arm's own fault is never repeated: it is the result.";
  return {"Were rounds thrown away and repeated?", text};
}

Terms::Item arrivals(const RunView& view) {
  const char* question = "Does it depend on the rate and on arrivals?";
  std::string text =
      "Yes. CPU per request is work plus wakes: a server that sleeps between requests pays "
      "for waking, which no rebuild mends, so the same microseconds are another percentage "
      "at another load. ";
  std::vector<std::string> seen;
  const Comparison* first = nullptr;
  for (const LoadView& load : view.loads) {
    for (const Comparison* one : load.all()) {
      if (one->rounds < 2 || (first && (one->shape != first->shape || one->b != first->b)))
        continue;
      if (!first) first = one;
      seen.push_back(fmt::format(
          "{} us ({}) at {} with {} wakes per request", microseconds(one->us_saved),
          format_signed_percent(one->estimate.effect), code(load.name), wakes(one->wakes_a)));
      break;
    }
  }
  if (seen.size() > 1)
    text += "Here " + (view.several ? first->b + " on " : "") + code(first->shape) + " saves " +
            join(seen, ", and ") + ".";
  else
    text += "This run has one load: its percentages hold for that load only.";
  return {question, text};
}

Terms::Item more_wakes(const RunView& view) {
  const char* question = view.several ? "Does a candidate wake more or less often than A?"
                                      : "Does B wake more or less often than A?";
  const Comparison* widest = nullptr;
  double gap = -1;
  for (const Comparison* one : every_comparison(view)) {
    const double difference = std::abs(one->wakes_b - one->wakes_a);
    if (difference > gap) gap = difference, widest = one;
  }
  if (!widest) return {question, "Not known: no comparison has two counted rounds."};
  return {question,
          "The widest difference is " + wakes(widest->wakes_a) + " (A) against " +
              wakes(widest->wakes_b) + " (" + widest->b + ") wakes per request, on " +
              where(view, *widest) +
              ". Wakes are counted as voluntary context switches of the process tree; they stand "
              "beside every figure and veto none: a faster server idles more."};
}

Terms::Item untrained(const RunView& view) {
  const char* question = "Are shapes that were not trained slower?";
  std::vector<std::string> answers;
  for (const LoadView& load : view.loads) {
    if (load.untrained.empty()) continue;
    std::vector<std::string> each;
    for (const Comparison* one : load.untrained)
      each.push_back(code(one->shape) + " " +
                     (one->rounds >= 2 ? estimate(one->estimate) + ", " : "") +
                     measure::name(one->verdict));
    answers.push_back("At " + code(load.name) + ": " + join(each, "; ") + ".");
  }
  if (answers.empty())
    return {question,
            "Not known: every measured shape was trained. A profile tells the compiler what is "
            "cold; traffic that training never saw may get slower.",
            Tone::kNote};
  return {question, join(answers, " ") + " Code that no leg reached is laid out as cold."};
}

// A negative control: what both arms must have done alike, summed over counted rounds.
struct Work {
  std::uint64_t ok = 0, scheduled = 0, missed = 0, errors = 0, body_bytes = 0, upstream = 0;
};

Work work_of(const RunView& view, const std::vector<Arm>& arms) {
  const auto wanted = [&arms](const Trial& trial) {
    return std::any_of(arms.begin(), arms.end(),
                       [&trial](const Arm& arm) { return arm.name == trial.arm; });
  };
  Work work;
  for (const Round& round : view.run.proof.rounds) {
    if (!round.valid || !view.is_counted(round)) continue;
    for (const Trial& trial : round.trials) {
      if (!wanted(trial)) continue;
      work.ok += trial.ok;
      work.scheduled += trial.scheduled;
      work.missed += trial.missed;
      work.errors += trial.errors;
      work.body_bytes += trial.body_bytes;
      work.upstream += trial.upstream_requests;
    }
  }
  return work;
}

Terms::Item same_work(const RunView& view) {
  const Design& design = view.run.proof.design;
  const Work a = work_of(view, {design.base}), b = work_of(view, design.candidates);
  const char* question =
      view.several ? "Did all arms do the same work?" : "Did both arms do the same work?";
  if (a.ok == 0 || b.ok == 0) return {question, "Not known: an arm has no counted answers."};
  const auto per_answer = [](std::uint64_t total, const Work& work, int decimals) {
    return fmt::format("{:.{}f}", static_cast<double>(total) / static_cast<double>(work.ok),
                       decimals);
  };
  return {
      question,
      fmt::format(
          "A answered {} requests with {} errors, {} {} with {}; body bytes per answer {} and {}; "
          "upstream requests per answer {} and {}. A control that moved withholds the verdict.",
          format_count(a.ok), format_count(a.errors),
          view.several ? "the candidates together" : "B", format_count(b.ok),
          format_count(b.errors), per_answer(a.body_bytes, a, 1), per_answer(b.body_bytes, b, 1),
          per_answer(a.upstream, a, 3), per_answer(b.upstream, b, 3))};
}

Terms::Item generator(const RunView& view) {
  double busiest = 0;
  for (const ResolvedLoad& load : view.run.proof.loads)
    busiest = std::max(busiest, load.client_busy);
  const Work work = work_of(view, view.arms());
  std::string text = fmt::format("{} of {} requests were skipped because the generator was late",
                                 format_count(work.missed), format_count(work.scheduled));
  if (busiest > 0)
    text += std::string("; ") + (load_is_far(view) ? "it" : "load and origin") + " used at most " +
            format_percent(busiest, 0) + (load_is_far(view) ? " of its CPUs" : " of their CPUs");
  return {"Was the load generator the limit?",
          text +
              ". Which bound set each rate stands under load conditions. The load is open: a slow "
              "server gets no fewer requests."};
}

std::optional<Terms::Item> fit(const RunView& view) {
  const BuiltBinary* b = view.build(view.variant("B"));
  if (!b || view.run.profile.path.empty()) return std::nullopt;
  const ProfileUse& use = b->profile_use;
  return Terms::Item{
      "Did the profile fit the code?",
      fmt::format("{} and {}; {} counts of {} were discarded.",
                  plural(use.functions_mismatched, "function") + " did not match",
                  plural(use.functions_missing, "function") + " had no data",
                  format_count(use.counts_discarded), format_count(view.run.profile.total_count)),
      use.functions_mismatched > 0 ? Tone::kNote : Tone::kPlain};
}

Terms::Item limits(const RunView& view) {
  bool small = false;
  for (const Comparison* one : every_comparison(view))
    small = small || (one->verdict != Verdict::kSame && std::abs(one->estimate.effect) < 0.05);
  std::string text = std::string("One machine, this traffic, ") + (view.several ? "these" : "two") +
                     " binaries. An A/A cannot see the luck of code layout: each "
                     "binary is one sample of it";
  text += small ? ", so effects below 5 % speak of these two binaries, not of the method." : ".";
  text += std::string(" Long-lived connections") + (load_is_far(view) ? "" : " on the loopback") +
          "; latency was not what the rounds were designed for.";
  return {"What does this not show?", text};
}

Terms::Item between_candidates() {
  return {
      "Which candidate is the best?",
      "Each row speaks of one candidate against A, and holds for that. Two candidates of one block "
      "were set against the same slices of A and A', so that chance moved both rows alike; those "
      "of different blocks were not. And the best row of many is partly luck. A comparison of the "
      "two, one as A, tells them apart."};
}

}  // namespace

Section questions_section(const RunView& view) {
  Terms terms;
  terms.items = {noise(view),      order(view),     repeats(view),  arrivals(view),
                 more_wakes(view), same_work(view), generator(view)};
  if (view.rebuilt) terms.items.push_back(untrained(view));
  if (const auto answer = fit(view)) terms.items.push_back(*answer);
  if (view.several) terms.items.push_back(between_candidates());
  terms.items.push_back(limits(view));
  return {"Questions to ask of these figures", {terms}, false};
}

}  // namespace hone::pipeline::report
