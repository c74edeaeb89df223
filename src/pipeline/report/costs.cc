// What it cost to build and train, and what the profile knows.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

std::string bytes_or_dash(std::uint64_t bytes) {
  return bytes == 0 ? "-" : format_bytes(static_cast<double>(bytes));
}

std::string seconds_or_dash(double seconds) { return seconds > 0 ? format_duration(seconds) : "-"; }

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return format_count(part);
  return format_count(part) + " of " + format_count(whole) + " (" +
         format_percent(static_cast<double>(part) / static_cast<double>(whole)) + ")";
}

const Leg* leg_named(const RunView& view, const std::string& name) {
  for (const Leg& leg : view.run.legs)
    if (leg.name == name) return &leg;
  return nullptr;
}

// The start-up leg has no share of the traffic but one start in so many requests.
std::string share_text(const Leg* leg) {
  if (!leg) return "-";
  if (leg->name != kStartUpLeg) return format_percent(leg->share);
  return leg->share > 0 ? "1 per " + rate(1 / leg->share) : "-";
}

Table leg_table(const RunView& view) {
  Table table;
  table.title = "Legs";
  table.columns = {{"leg"},
                   {"requests", true, 0, "answered as expected; of start-up: starts"},
                   {"share", true, 0, "of the traffic; of start-up: starts per requests"},
                   {"weight", true, 0, "given to the merge: share over requests, as an integer"},
                   {"functions covered", true},
                   {"only here", true, 0, "functions that no other leg reaches"},
                   {"profiles", true, 0, "one per process"},
                   {"took", true, 1},
                   {"instrumented us", true, 0, "CPU per request of the instrumented subject"}};
  for (const LegCoverage& coverage : view.run.profile.legs) {
    const Leg* leg = leg_named(view, coverage.name);
    table.rows.push_back(
        {{coverage.name, format_count(coverage.requests), share_text(leg),
          format_count(coverage.weight), format_count(coverage.functions_covered),
          format_count(coverage.only_here), leg ? format_count(leg->profiles.size()) : "-",
          leg ? seconds_or_dash(leg->wall_s) : "-",
          leg && leg->cpu_us_per_request > 0 ? microseconds(leg->cpu_us_per_request) : "-"}});
  }
  return table;
}

Terms coverage_terms(const RunView& view) {
  const MergedProfile& profile = view.run.profile;
  Terms terms;
  terms.items = {{"functions covered", share(profile.functions_covered, profile.functions)},
                 {"indirect call sites with named targets",
                  share(profile.call_sites_resolved, profile.call_sites)},
                 {"counts in all", format_count(profile.total_count)}};
  if (const BuiltBinary* b = view.build(view.variant("B"))) {
    const ProfileUse& use = b->profile_use;
    terms.items.push_back({"counts discarded while building",
                           share(use.counts_discarded, profile.total_count) + "; " +
                               plural(use.functions_mismatched, "function") + " mismatched, " +
                               format_count(use.functions_missing) + " without data",
                           use.functions_mismatched > 0 ? Tone::kNote : Tone::kPlain});
  }
  terms.items.push_back({"profile", code(profile.sha256 + ".profdata") +
                                        (profile.reused ? ", found in the store" : "")});
  return terms;
}

Table overlap_table(const MergedProfile& profile) {
  Table table;
  table.title = "How alike the legs are";
  table.folded = true;
  table.columns = {{"leg"}};
  for (const LegCoverage& leg : profile.legs) table.columns.push_back({leg.name, true});
  for (std::size_t i = 0; i < profile.legs.size() && i < profile.overlap.size(); ++i) {
    Table::Row row{{profile.legs[i].name}};
    for (const double overlap : profile.overlap[i])
      row.cells.push_back(fmt::format("{:.2f}", overlap));
    table.rows.push_back(std::move(row));
  }
  table.note = "1: the same distribution of counts. A leg that is close to another adds little.";
  return table;
}

}  // namespace

std::optional<Section> build_section(const RunView& view) {
  if (view.run.builds.empty()) return std::nullopt;
  Table table;
  table.title = "Builds";
  table.columns = {{"variant"},        {"wall", true},
                   {"CPU", true},      {"peak memory", true, 0, "of the largest single process"},
                   {"binary", true},   {"text", true, 0, "machine code"},
                   {"stripped", true}, {"this run"},
                   {"SHA-256"}};
  for (const BuiltBinary& one : view.run.builds) {
    const BuildCosts& costs = one.costs;
    table.rows.push_back({{one.variant, seconds_or_dash(costs.wall_s), seconds_or_dash(costs.cpu_s),
                           bytes_or_dash(static_cast<std::uint64_t>(costs.peak_rss_kib) * 1024),
                           bytes_or_dash(costs.binary_bytes), bytes_or_dash(costs.text_bytes),
                           bytes_or_dash(costs.stripped_bytes), one.reused ? "reused" : "built",
                           code(tag(one.sha256))}});
  }
  table.note = "Costs were taken when the variant was built; a reused one keeps them.";
  return Section{"What it costs", {table}, false};
}

std::optional<Section> profile_section(const RunView& view) {
  const MergedProfile& profile = view.run.profile;
  if (profile.path.empty() && profile.legs.empty()) return std::nullopt;
  Section section{"The profile", {coverage_terms(view), leg_table(view)}, false};
  if (!profile.overlap.empty()) section.parts.emplace_back(overlap_table(profile));
  if (!profile.hottest.empty()) {
    Table table;
    table.title = "Hottest functions";
    table.folded = true;
    table.columns = {{"function"}, {"largest block count", true}};
    for (const auto& [function, count] : profile.hottest)
      table.rows.push_back({{code(function), format_count(count)}});
    section.parts.emplace_back(std::move(table));
  }
  return section;
}

}  // namespace hone::pipeline::report
