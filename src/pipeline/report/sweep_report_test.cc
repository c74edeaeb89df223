// The reports of a made-up sweep against tests/golden, and what its sentences claim.
#include "pipeline/report/sweep_report.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pipeline/report/html.h"
#include "pipeline/report/markdown.h"
#include "pipeline/report/report_fixture.h"
#include "pipeline/report/schema_checker.h"
#include "pipeline/report/sweep_sections.h"
#include "pipeline/report/terminal.h"
#include "pipeline/sweep/curve.h"
#include "pipeline/sweep/judge_point.h"

namespace hone::pipeline::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A request costs 40 us (A) and 34 us (B) and 12 us more where the server had to be woken for it.
SweepPoint made_up_point(const std::string& arm, double rate, int repeat, int place) {
  const double work_us = (arm == "A" ? 40 : 34) * (1 + 0.004 * (repeat - 2));
  SweepPoint point;
  point.arm = arm;
  point.rate = rate;
  point.repeat = repeat;
  point.place = place;
  const double busy = std::min(1.0, rate * work_us * 1e-6);
  point.scheduled = static_cast<std::uint64_t>(2 * rate);
  const double carried_share = std::min(1.0, 1 / (rate * work_us * 1e-6));
  point.in_time = carried_share;
  point.ok_share = 1;
  point.ok = point.scheduled;
  point.status = {{"200", point.ok}};
  point.wall_s = 2 / carried_share;
  const double wakes = 1 - busy;
  point.cpu_s = static_cast<double>(point.ok) * (work_us + 12 * wakes) * 1e-6;
  point.wakes = static_cast<std::uint64_t>(wakes * static_cast<double>(point.ok));
  point.server_busy = std::min(1.0, point.cpu_s / point.wall_s);
  point.load_busy = rate * 18e-6;
  const double p99 =
      busy < 1 ? std::min(2 * work_us / (1 - busy), 5e4) : 2e6 * (1 - carried_share) + 2e4;
  point.latency_us = {0.4 * p99, 0.8 * p99, p99, 1.6 * p99, 2 * p99, 0.5 * p99};
  point.workers.connections = {16};
  point.spinner_share = 0.99;
  point.started_at = "2026-11-30T20:00:00Z";
  return point;
}

SweepValues made_up_sweep() {
  SweepValues values;
  values.run = compare_run();
  values.run.command = "hone sweep --a './old {port}' --b './new {port}'";
  values.run.subject = "server";
  Sweep& sweep = values.sweep;
  sweep.design.design = values.run.proof.design;
  sweep.design.design.loads.clear();
  sweep.shapes.resize(1);
  ShapeSweep& shape = sweep.shapes[0];
  shape.shape = sweep.design.design.shapes.at(0).name;
  shape.rates = {5000, 10'000, 15'000, 19'000, 23'000, 25'000, 27'000, 30'000};
  shape.found = {{24'000, false, "p99 20.1 ms (limit 10 ms)"},
                 {28'000, false, "p99 12.4 ms (limit 10 ms)"}};
  for (int repeat = 1; repeat <= 3; ++repeat) {
    int place = 0;
    for (const double rate : shape.rates)
      for (const char* arm : {"A", "B"}) {
        shape.points.push_back(made_up_point(arm, rate, repeat, place++));
        judge_point(&shape.points.back(), sweep.design.settings);
      }
  }
  SweepPoint spoiled = made_up_point("A", 15'000, 2, 4);
  spoiled.environment.steal = 0.031;
  judge_point(&spoiled, sweep.design.settings);
  shape.points[20].attempt = 2;
  shape.points.insert(shape.points.begin() + 20, spoiled);
  draw_results(sweep.design, &shape);
  values.run.proof = {};
  values.run.proof.design = sweep.design.design;
  return values;
}

TEST(SweepReport, ClaimsWhatTheRatesCanTell) {
  const SweepValues values = made_up_sweep();
  EXPECT_EQ(sweep_headline(values).text,
            "With 99.9 % answered in time and p99 within 10 ms, A holds up to 23,000 requests/s, B "
            "holds up to 27,000 requests/s (8 to 30 % more).");
  const auto lead = sweep_lead(values);
  ASSERT_EQ(lead.size(), 2u);
  EXPECT_THAT(lead[0].text, HasSubstr("At 60 % of the server's CPUs B carries"));
  EXPECT_THAT(lead[0].text, HasSubstr("more requests/s than A (95 % interval"));
  EXPECT_THAT(lead[1].text, HasSubstr("The knee of p99: A at"));
}

TEST(SweepReport, DoesNotSetALowerBoundAgainstACeiling) {
  SweepValues values = made_up_sweep();
  Ceiling& b = values.sweep.shapes[0].curves[1].ceiling;
  b.ended_by = Standing::kGeneratorLimited;
  EXPECT_THAT(
      sweep_headline(values).text,
      HasSubstr("B holds at least 27,000 requests/s (load and origin could not carry more)."));
  b.ended_by = Standing::kHeld;
  EXPECT_THAT(sweep_headline(values).text, HasSubstr("(no higher rate was tried)"));
  EXPECT_THAT(sweep_headline(values).text, Not(HasSubstr("% more")));
}

TEST(SweepReport, TellsNoDifferenceWhereTheRatesLieTooFarApart) {
  SweepValues values = made_up_sweep();
  values.sweep.shapes[0].curves[1].ceiling = values.sweep.shapes[0].curves[0].ceiling;
  EXPECT_THAT(sweep_headline(values).text, HasSubstr("no difference that rates so far apart"));
}

TEST(SweepReport, SaysThatAnArmHeldNothing) {
  SweepValues values = made_up_sweep();
  values.sweep.shapes[0].curves[1].ceiling = {0, 5000, Standing::kSaturated, "status 500: 10"};
  EXPECT_THAT(sweep_headline(values).text, HasSubstr("B holds none of these rates."));
  EXPECT_EQ(sweep_headline(values).tone, Tone::kBad);
}

TEST(SweepReport, ReadsTheSameAsBefore) {
  const SweepValues values = made_up_sweep();
  const Model model = make_sweep_report(values);
  expect_golden("sweep.txt", render_terminal(model, {}));
  expect_golden("sweep.md", render_markdown(model));
  expect_golden("sweep.html", render_html(model));
}

TEST(SweepReport, FitsTheSchemaOfReports) {
  const Json rules = report_schema();
  const SweepValues values = made_up_sweep();
  const Json json = *parse_json(dump(make_sweep_json(values)), "report.json");
  EXPECT_THAT(SchemaChecker(rules).check(json), IsEmpty());
  EXPECT_EQ(json["total"], nullptr) << "a sweep proves nothing";
  EXPECT_EQ(json["comparisons"], Json::array());
  const Json& shape = json["sweep"]["shapes"][0];
  EXPECT_EQ(shape["points"].size(), 49u);
  EXPECT_EQ(shape["curves"][0]["ceiling"]["rate"], 23'000);
  EXPECT_EQ(shape["curves"][0]["ceiling"]["ended_by"], "saturated");
  Json bad = json;
  bad["sweep"]["shapes"][0]["points"][0]["standing"] = "splendid";
  EXPECT_THAT(SchemaChecker(rules).check(bad), Not(IsEmpty()));
  bad = json;
  bad["sweep"].erase("settings");
  EXPECT_THAT(SchemaChecker(rules).check(bad), Not(IsEmpty()));
}

TEST(SweepReport, ComesBackFromDiskTheSame) {
  const SweepValues values = made_up_sweep();
  const auto back = parse_as<SweepValues>(dump(Json(values)), "values.json");
  ASSERT_TRUE(back);
  EXPECT_EQ(make_sweep_json(*back), make_sweep_json(values));
}

TEST(CurvesChart, HasNoScriptAndNamesItsParts) {
  const std::string html = render_html(make_sweep_report(made_up_sweep()));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, HasSubstr("CPU per request over the rate"));
  EXPECT_THAT(html, HasSubstr("class=\"point hollow\""));
  EXPECT_THAT(html, HasSubstr("B: ceiling"));
}

TEST(CurvesChart, IsDrawnInAsciiToo) {
  TerminalStyle ascii;
  ascii.unicode = false;
  ascii.width = 80;
  const std::string text = render_terminal(make_sweep_report(made_up_sweep()), ascii);
  for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 128) << text;
  std::string line;
  for (const char c : text) {
    if (c != '\n') {
      line += c;
      continue;
    }
    EXPECT_LE(line.size(), 80u) << line;
    line.clear();
  }
}

}  // namespace
}  // namespace hone::pipeline::report
