// Holds JSON to a schema, for tests: by a checker of just the keywords that docs/report.schema.json
// uses; one it does not know is a failure, so that no rule is silently skipped.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/report/report_fixture.h"

namespace hone::pipeline::report {

class SchemaChecker {
 public:
  explicit SchemaChecker(const Json& root) : root_(root) {}

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
    SchemaChecker inner(root_);
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

inline Json report_schema() {
  const Result<Json> json =
      parse_json(read_repository_file("docs/report.schema.json"), "docs/report.schema.json");
  EXPECT_TRUE(json) << "docs/report.schema.json is not JSON";
  return json ? *json : Json::object();
}

}  // namespace hone::pipeline::report
