// report.json: the contract that scripts rely on (docs/report-schema.md). Grown, never renamed; a
// change of meaning raises the schema number. It holds every slice, so that any figure of the other
// reports can be computed again from it.
#include <algorithm>

#include "pipeline/report/report.h"
#include "pipeline/report/run_view.h"
#include "pipeline/report/sections.h"

namespace hone::pipeline {
namespace {

using report::RunView;

constexpr int kSchema = 1;

// The load of a comparison: what was asked, what it came to and over how many connections.
Json load_json(const RunView& view, const std::string& load, const std::string& shape) {
  const Design& design = view.run.proof.design;
  const int workers = std::max(1, design.base.server.workers);
  Json json = {{"name", load},
               {"connections", design.settings.connections * workers},
               {"streams", design.settings.streams},
               {"workers", workers},
               {"server_cpus", design.server_cpus},
               {"load_cpus", design.load_cpus}};
  for (const report::LoadView& one : view.loads) {
    if (one.name != load || !one.asked) continue;
    json["arrivals"] = one.asked->arrivals;
    json["busy"] = one.asked->busy > 0 ? Json(one.asked->busy) : Json(nullptr);
  }
  if (const ResolvedLoad* resolved = view.resolved(load, shape)) {
    json["rate"] = resolved->rate;
    json["arrivals"] = resolved->arrivals;
    json["bound"] = resolved->bound;
    json["server_busy"] = resolved->server_busy;
    json["client_busy"] = resolved->client_busy;
  }
  return json;
}

Json estimate_json(const measure::Estimate& e) {
  return {{"effect", e.effect}, {"low", e.low}, {"high", e.high}};
}

Json comparison_json(const RunView& view, const Comparison& one) {
  Json json = one;
  json.erase("estimate");
  json.update(estimate_json(one.estimate));
  json["load"] = load_json(view, one.load, one.shape);
  return json;
}

Json comparisons_json(const RunView& view) {
  Json all = Json::array();
  for (const Comparison& one : view.run.proof.comparisons)
    all.push_back(comparison_json(view, one));
  return all;
}

// What the two arms share with every trial stands at the top, the rest under `counters`.
Json trial_json(const Round& round, const Trial& trial) {
  Json slices = Json::array();
  for (const SliceRecord& slice : trial.slices) slices.push_back(slice);
  return {{"arm", trial.arm},
          {"block", block_of(round)},
          {"shape", trial.shape},
          {"load", trial.load},
          {"round", trial.round},
          {"attempt", round.attempt},
          {"valid", round.valid && trial.valid},
          {"why_invalid", trial.why_invalid.empty() ? round.why_invalid : trial.why_invalid},
          {"failure", trial.failure},
          {"log", trial.log},
          {"cpu_total_s", trial.cpu_total_s},
          {"whole_cpu_s", trial.whole_cpu_s},
          {"wakes", trial.wakes},
          {"ok", trial.ok},
          {"latency_us", trial.latency_us},
          {"status", trial.status},
          {"workers", trial.workers},
          {"counters",
           {{"scheduled", trial.scheduled},
            {"missed", trial.missed},
            {"blocked", trial.blocked},
            {"errors", trial.errors},
            {"achieved_rate", trial.achieved_rate},
            {"idle_cpu_us_per_s", trial.idle_cpu_us_per_s},
            {"user_share", trial.user_share},
            {"beyond_clocks_s", trial.beyond_clocks_s},
            {"preempted", trial.preempted},
            {"minor_faults", trial.minor_faults},
            {"major_faults", trial.major_faults},
            {"run_delay_s", trial.run_delay_s},
            {"body_bytes", trial.body_bytes},
            {"upstream_requests", trial.upstream_requests},
            {"client_cpu_s", trial.client_cpu_s},
            {"client_wakes", trial.client_wakes},
            {"ready_s", trial.ready_s}}},
          {"events", trial.events},
          {"threads", trial.threads},
          {"slices", std::move(slices)}};
}

// Counted rounds and their trials, or those of the kinds that check them.
Json trials_json(const RunView& view, bool counted) {
  Json all = Json::array();
  for (const Round& round : view.run.proof.rounds) {
    if (view.is_counted(round) != counted) continue;
    for (const Trial& trial : round.trials) all.push_back(trial_json(round, trial));
  }
  return all;
}

Json rounds_json(const RunView& view, bool counted) {
  Json all = Json::array();
  for (const Round& round : view.run.proof.rounds) {
    if (view.is_counted(round) != counted) continue;
    Json json = round;
    json.erase("trials");
    json["arms"] = Json::array();
    for (const Trial& trial : round.trials) json["arms"].push_back(trial.arm);
    all.push_back(std::move(json));
  }
  return all;
}

Json arms_json(const RunView& view) {
  Json all = Json::array();
  for (const Arm& arm : view.arms()) {
    Json json = {{"name", arm.name},     {"variant", arm.variant}, {"label", arm.label},
                 {"sha256", arm.sha256}, {"binary", arm.binary},   {"command", arm.server.command},
                 {"url", arm.url}};
    // A' is a copy of A's binary: it has A's build.
    if (const BuiltBinary* build = view.build(arm.variant))
      json.update({{"compile_flags", build->compile_flags}, {"link_flags", build->link_flags}});
    all.push_back(std::move(json));
  }
  return all;
}

Json total_json(const Total& total) {
  Json json = estimate_json(total.estimate);
  json.update(
      {{"load", total.load}, {"b", total.b}, {"verdict", total.verdict}, {"shapes", total.shapes}});
  return json;
}

Json totals_json(const RunView& view) {
  Json all = Json::array();
  for (const report::LoadView& load : view.loads)
    for (const Total* total : load.totals) all.push_back(total_json(*total));
  return all;
}

Json legs_json(const RunValues& run) {
  Json all = Json::array();
  for (const Leg& leg : run.legs) {
    Json json = {{"name", leg.name},
                 {"requests", leg.requests},
                 {"share", leg.share},
                 {"profiles", leg.profiles.size()},
                 {"profile_files", leg.profiles},
                 {"wall_s", leg.wall_s},
                 {"cpu_us_per_request", leg.cpu_us_per_request},
                 {"reused", leg.reused},
                 {"functions_covered", nullptr},
                 {"weight", nullptr}};
    for (const LegCoverage& coverage : run.profile.legs) {
      if (coverage.name != leg.name) continue;
      json.update({{"functions_covered", coverage.functions_covered},
                   {"weight", coverage.weight},
                   {"only_here", coverage.only_here},
                   {"total_count", coverage.total_count}});
    }
    all.push_back(std::move(json));
  }
  return all;
}

Json profile_json(const RunValues& run) {
  if (run.profile.path.empty()) return Json::object();
  Json json = run.profile;
  for (const BuiltBinary& build : run.builds)
    if (build.variant != "baseline" && build.variant != "instrumented")
      json["use"][build.variant] = build.profile_use;
  return json;
}

Json costs_json(const RunValues& run) {
  Json builds = Json::object();
  for (const BuiltBinary& build : run.builds) {
    builds[build.variant] = build.costs;
    builds[build.variant].update({{"sha256", build.sha256}, {"reused", build.reused}});
  }
  double training_s = 0;
  for (const Leg& leg : run.legs) training_s += leg.wall_s;
  return {
      {"builds", std::move(builds)}, {"training_wall_s", training_s}, {"run_wall_s", run.wall_s}};
}

Json settings_json(const Design& design) {
  Json json = design.settings;
  json.erase("seed");  // stands at the top
  json.erase("cpus");  // as asked; a load names what was used
  json["shares"] = Json::object();
  for (const subject::Shape& shape : design.shapes) json["shares"][shape.name] = shape.share;
  return json;
}

}  // namespace

Json make_report_json(const RunValues& run) {
  const RunView view(run);
  const Json totals = totals_json(view);
  return {{"schema", kSchema},
          {"hone", HONE_VERSION},
          {"subject", run.subject},
          {"summary", run.summary},
          {"headline", report::headline(view).text},
          {"command", run.command},
          {"started_at", run.started_at},
          {"finished_at", run.finished_at},
          {"seed", run.proof.design.settings.seed},
          {"settings", settings_json(run.proof.design)},
          {"source", {{"text", run.source.text}, {"identity", run.source.identity}}},
          {"recipe_sha256", run.recipe_sha256},
          {"machine", run.machine.is_object() ? run.machine : Json::object()},
          {"toolchain", run.tools.version.empty() ? Json::object() : Json(run.tools)},
          {"arms", arms_json(view)},
          {"total", totals.empty() ? Json(nullptr) : totals.front()},
          {"totals", totals},
          {"comparisons", comparisons_json(view)},
          {"loads", run.proof.loads},
          {"work_and_wakes", run.proof.work_and_wakes},
          {"simulated", run.proof.simulated},
          {"rounds", rounds_json(view, true)},
          {"trials", trials_json(view, true)},
          {"check_rounds", rounds_json(view, false)},
          {"check_trials", trials_json(view, false)},
          {"legs", legs_json(run)},
          {"profile", profile_json(run)},
          {"costs", costs_json(run)},
          {"product", {{"folder", run.product.folder}, {"files", run.product.files}}},
          {"findings", view.findings()}};
}

}  // namespace hone::pipeline
