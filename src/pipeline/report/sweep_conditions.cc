// What a sweep rests on: how it was made, every point with the machine beneath it, the words.
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sweep_sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

Table points_table(const ShapeSweep& shape) {
  Table table;
  table.title = "Points of " + code(shape.shape) + ", in the order in which they were measured";
  table.folded = true;
  table.columns = {{"repeat", true},
                   {"place", true},
                   {"arm"},
                   {"requests/s", true},
                   {"attempt", true},
                   {"ok", true},
                   {"CPU us", true},
                   {"p99 ms", true},
                   {"server busy", true},
                   {"load busy", true},
                   {"steal", true},
                   {"foreign CPU", true},
                   {"missed", true},
                   {"point", false, 0, {}, true},
                   {"why"}};
  for (const SweepPoint& point : shape.points) {
    table.rows.push_back(
        {{std::to_string(point.repeat), std::to_string(point.place + 1), point.arm,
          rate(point.rate), std::to_string(point.attempt), format_count(point.ok),
          microseconds(cpu_us(point)), fmt::format("{:.2f}", point.latency_us.p99 / 1e3),
          format_percent(point.server_busy), format_percent(point.load_busy),
          format_percent(point.environment.steal, 2),
          format_percent(point.environment.foreign_cpu, 2),
          format_percent(point.environment.missed, 2), name(point.standing), point.why}});
  }
  return table;
}

std::string found_text(const ShapeSweep& shape, const SweepDesign& design) {
  if (shape.found.empty()) return "as given";
  std::vector<std::string> parts;
  const std::vector<Arm> arms = arms_of(design.design);
  for (std::size_t i = 0; i < shape.found.size() && i < arms.size(); ++i)
    parts.push_back(arms[i].name + " about " + rate(shape.found[i].rate));
  return "found by doubling: " + join(parts, ", ") + " requests/s";
}

}  // namespace

Section sweep_conditions_section(const SweepValues& values) {
  const SweepDesign& design = values.sweep.design;
  const SweepSettings& settings = design.settings;
  const Prove& prove = design.design.settings;
  Terms terms{"How it was measured", {}};
  terms.items = {
      {"points",
       fmt::format("one slice of {} each after {} under the same load that is not counted; {} of "
                   "every rate on every arm",
                   format_duration(settings.slice_s), format_duration(settings.head_s),
                   plural(static_cast<std::size_t>(settings.repeats), "repeat"))},
      {"order", fmt::format("every repeat is one process lifetime of all arms and visits all rates "
                            "on all arms in an order drawn from the seed {}; before a point its "
                            "arm is drained until it rests",
                            prove.seed)},
      {"load", fmt::format("open loop, arrivals {}, {} connections per worker; latency runs from "
                           "the due time",
                           code(settings.arrivals), prove.connections)},
      {"CPUs", cpus_text(design.design)}};
  for (Terms::Item& item : host_terms(design.design)) terms.items.push_back(std::move(item));
  for (const ShapeSweep& shape : values.sweep.shapes)
    terms.items.push_back({"rates of " + code(shape.shape), found_text(shape, design)});
  return {"How it was measured", {terms}, false};
}

Section sweep_points_section(const SweepValues& values) {
  Section section{"Every point", {}, false};
  for (const ShapeSweep& shape : values.sweep.shapes)
    section.parts.emplace_back(points_table(shape));
  return section;
}

Section sweep_glossary_section(const SweepValues& values) {
  const double limit_ms = values.sweep.design.settings.p99_limit_ms;
  Terms terms;
  terms.items = {
      {"held", fmt::format("at least 99.9 % of the requests were answered as expected and left "
                           "within the slice, and p99 was at most {:g} ms",
                           limit_ms)},
      {"saturated", "not held: the rate lies past what the arm can carry; a result, not a fault"},
      {"generator-limited",
       "load and origin used more than " + format_percent(kGeneratorBound, 0) +
           " of their CPU: what is late may be theirs, so the point cannot define a ceiling"},
      {"spoiled", "the environment's fault in every attempt (the limits of a proof); left out"},
      {"failed", "the arm ended, restarted or never came to rest"},
      {"ceiling", "the highest rate at which, and at all lower ones, every repeat was held"},
      {"server busy",
       "CPU of the arm's process tree over the time of the slice and the server's "
       "CPUs"},
      {"knee",
       "the point farthest below the chord of log p99 over the rate, up to the first "
       "saturated rate (Satopaa et al., Finding a Kneedle in a Haystack, 2011)"},
      {"CPU per request",
       std::string(
           "CPU time of the whole process tree, read when quiet, over successful responses") +
           (values.sweep.design.design.settings.hosts.load.is_far()
                ? "; what the network costs in soft interrupts is not in it"
                : "")},
      {"A, B", "the base and what is compared with it"}};
  return {"Words", {terms}, false};
}

}  // namespace hone::pipeline::report
