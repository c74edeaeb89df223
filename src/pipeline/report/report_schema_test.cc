// report.json against docs/report.schema.json, by a checker of just the keywords that file uses;
// one it does not know is a failure, so that no rule is silently skipped.
#include <gmock/gmock.h>

#include <set>

#include "pipeline/report/report_fixture.h"

namespace hone::pipeline::report {
namespace {

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  std::vector<std::string> check(const Json& value) {
    errors_.clear();
    check(value, root_, "$");
    return errors_;
  }

 private:
  static bool is(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    return type == "null" && value.is_null();
  }

  void complain(const std::string& where, const std::string& what) {
    errors_.push_back(where + ": " + what);
  }

  bool fits(const Json& value, const Json& schema, const std::string& where) {
    Checker inner(root_);
    inner.check(value, schema, where);
    return inner.errors_.empty();
  }

  void check_type(const Json& value, const Json& type, const std::string& where) {
    bool any = false;
    for (const Json& one : type.is_array() ? type : Json::array({type}))
      any = any || is(value, one.get<std::string>());
    if (!any) complain(where, "is not of type " + type.dump());
  }

  void check_members(const Json& value, const Json& schema, const std::string& where) {
    if (!value.is_object()) return;
    const Json known = schema.value("properties", Json::object());
    for (const auto& [key, member] : value.items()) {
      const std::string path = where + "." + key;
      if (known.contains(key))
        check(member, known[key], path);
      else if (schema.contains("additionalProperties"))
        check(member, schema["additionalProperties"], path);
    }
  }

  void check(const Json& value, const Json& schema, const std::string& where) {
    static const std::set<std::string> kNotes = {"$schema", "title", "description", "$defs"};
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$ref") {
        const std::string pointer = rule.get<std::string>().substr(1);
        check(value, root_.at(Json::json_pointer(pointer)), where);
      } else if (keyword == "anyOf") {
        bool any = false;
        for (const Json& one : rule) any = any || fits(value, one, where);
        if (!any) complain(where, "fits none of anyOf");
      } else if (keyword == "type") {
        check_type(value, rule, where);
      } else if (keyword == "const") {
        if (value != rule) complain(where, "is not " + rule.dump());
      } else if (keyword == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end())
          complain(where, value.dump() + " is none of " + rule.dump());
      } else if (keyword == "required") {
        for (const Json& key : rule)
          if (value.is_object() && !value.contains(key.get<std::string>()))
            complain(where, "lacks " + key.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < rule) complain(where, "is below " + rule.dump());
      } else if (keyword == "minLength") {
        if (value.is_string() && value.get<std::string>().size() < rule.get<std::size_t>())
          complain(where, "is too short");
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
          check(value[i], rule, where + "[" + std::to_string(i) + "]");
      } else if (keyword == "properties" ||
                 (keyword == "additionalProperties" && !schema.contains("properties"))) {
        check_members(value, schema, where);
      } else if (keyword != "additionalProperties" && !kNotes.contains(keyword)) {
        complain(where, "the schema uses " + keyword + ", which this checker does not know");
      }
    }
  }

  const Json& root_;
  std::vector<std::string> errors_;
};

Json schema() {
  const Result<Json> json =
      parse_json(read_repository_file("docs/report.schema.json"), "docs/report.schema.json");
  EXPECT_TRUE(json) << "docs/report.schema.json is not JSON";
  return json ? *json : Json::object();
}

// As a reader of the file gets it: written out and read again.
Json report_of(const RunValues& run) {
  return *parse_json(dump(make_report_json(run)), "report.json");
}

TEST(ReportJson, FitsItsSchema) {
  const Json rules = schema();
  RunValues unproved = full_run();
  unproved.proof = {};
  for (const RunValues& run : {full_run(), mixed_run(), compare_run(), unproved, RunValues{}})
    EXPECT_THAT(Checker(rules).check(report_of(run)), testing::IsEmpty()) << run.command;
}

TEST(ReportJson, TheSchemaSeesWhatIsWrong) {
  const Json rules = schema();
  const Json good = report_of(compare_run());
  const auto errors_after = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return Checker(rules).check(bad);
  };
  EXPECT_THAT(errors_after("/schema", 2), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/comparisons/0/verdict", "splendid"), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/trials/0/slices/0/ok", -1), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/total", "none"), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_after("/costs", Json::object()), testing::Not(testing::IsEmpty()));
  Json lacking = good;
  lacking.erase("seed");
  EXPECT_THAT(Checker(rules).check(lacking), testing::Not(testing::IsEmpty()));
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

TEST(ReportJson, AbsentPartsAreEmptyAndNotMissing) {
  const Json json = report_of(compare_run());
  EXPECT_EQ(json["legs"], Json::array());
  EXPECT_EQ(json["profile"], Json::object());
  EXPECT_EQ(json["costs"]["builds"], Json::object());
  EXPECT_EQ(report_of(RunValues{})["total"], nullptr);
}

}  // namespace
}  // namespace hone::pipeline::report
