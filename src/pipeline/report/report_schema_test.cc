// report.json against docs/report.schema.json.
#include <gmock/gmock.h>

#include "pipeline/report/report_fixture.h"
#include "pipeline/report/schema_checker.h"

namespace hone::pipeline::report {
namespace {

// As a reader of the file gets it: written out and read again.
Json report_of(const RunValues& run) {
  return *parse_json(dump(make_report_json(run)), "report.json");
}

TEST(ReportJson, FitsItsSchema) {
  const Json rules = report_schema();
  RunValues unproved = full_run();
  unproved.proof = {};
  for (const RunValues& run :
       {full_run(), mixed_run(), compare_run(), candidates_run(), unproved, RunValues{}})
    EXPECT_THAT(SchemaChecker(rules).check(report_of(run)), testing::IsEmpty()) << run.command;
}

TEST(ReportJson, TheSchemaSeesWhatIsWrong) {
  const Json rules = report_schema();
  const Json good = report_of(compare_run());
  const auto errors_after = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return SchemaChecker(rules).check(bad);
  };
  EXPECT_THAT(errors_after("/schema", 2), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/comparisons/0/verdict", "splendid"), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/trials/0/slices/0/ok", -1), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/total", "none"), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/costs", Json::object()), testing::Not(testing::IsEmpty()));
  Json lacking = good;
  lacking.erase("seed");
  EXPECT_THAT(SchemaChecker(rules).check(lacking), testing::Not(testing::IsEmpty()));
}

TEST(ReportJson, HoldsEveryRoundArmAndSlice) {
  const RunValues run = full_run();
  const Json json = report_of(run);
  EXPECT_EQ(json["rounds"].size() + json["check_rounds"].size(), run.proof.rounds.size());
  EXPECT_EQ(json["check_rounds"].size(), run.proof.design.loads.size());
  EXPECT_EQ(json["check_rounds"][0]["kind"], "in turn");
  EXPECT_EQ(json["trials"].size(), json["rounds"].size() * 3);
  EXPECT_EQ(json["check_trials"].size(), json["check_rounds"].size() * 3);
  EXPECT_EQ(json["seed"], 20'261'130u);
  EXPECT_EQ(json["total"]["load"], "busy");
  EXPECT_EQ(json["totals"].size(), 2u);
  std::size_t invalid = 0;
  for (const Json& trial : json["trials"]) {
    EXPECT_EQ(trial["slices"].size(), 2u);
    invalid += !trial["valid"].get<bool>();
  }
  EXPECT_EQ(invalid, 3u) << "the spoiled round's arms are kept and marked";
}

TEST(ReportJson, ALoadSaysWhatWasAskedAndWhatItCameTo) {
  const Json json = report_of(full_run());
  for (const Json& comparison : json["comparisons"]) {
    const Json& load = comparison["load"];
    EXPECT_EQ(load["connections"], 16);
    EXPECT_GT(load["rate"], 0);
    EXPECT_EQ(load["busy"].is_null(), load["name"] == "burst16");
  }
}

TEST(ReportJson, SaysWhichCandidatesSharedARound) {
  const Json json = report_of(candidates_run());
  std::string arms;
  for (const Json& arm : json["arms"]) arms += arm["name"].get<std::string>() + " ";
  EXPECT_EQ(arms, "A B C D E A' ");
  EXPECT_EQ(json["arms"][1]["label"], "level 1");
  EXPECT_EQ(json["rounds"][0]["arms"], Json({"A", "B", "C", "A'"}));
  EXPECT_EQ(json["trials"][0]["arm"], "A");
  EXPECT_EQ(json["trials"][0]["block"], "B+C");
  EXPECT_EQ(json["comparisons"][1]["block"], "B+C");
  EXPECT_EQ(json["totals"].size(), 4u);
  EXPECT_EQ(json["totals"][3]["b"], "E");
  EXPECT_EQ(json["total"], json["totals"][0]);
}

TEST(ReportJson, AbsentPartsAreEmptyAndNotMissing) {
  const Json json = report_of(compare_run());
  EXPECT_EQ(json["legs"], Json::array());
  EXPECT_EQ(json["profile"], Json::object());
  EXPECT_EQ(json["costs"]["builds"], Json::object());
  EXPECT_EQ(report_of(RunValues{})["total"], nullptr);
}

}  // namespace
}  // namespace hone::pipeline::report
