// JSON in and out of hone's values. nlohmann's exceptions end here.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

using Json = nlohmann::json;

// HONE_JSON(Type) in a header, beside the type; HONE_JSON_FIELDS(Type, fields...) in one .cc.
// Members that a text lacks keep their defaults. Kept apart because the conversions of every field,
// compiled in every file that sees the type, would double the time to build hone.
#define HONE_JSON(Type)                                \
  void to_json(::hone::Json& json, const Type& value); \
  void from_json(const ::hone::Json& json, Type& value);
#define HONE_JSON_FIELDS(Type, ...)                                                         \
  void to_json(::hone::Json& nlohmann_json_j, const Type& nlohmann_json_t) {                \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  void from_json(const ::hone::Json& nlohmann_json_j, Type& nlohmann_json_t) {              \
    const Type nlohmann_json_default_obj{};                                                 \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
  }

Result<Json> parse_json(std::string_view text, const std::string& name);
std::string dump(
    const Json& json);  // two-space indented, newline at the end; invalid UTF-8 replaced

// Reads a value that has from_json. `name` is the file or field, for the error.
template <typename T>
Result<T> value_from(const Json& json, const std::string& name) {
  try {
    return json.get<T>();
  } catch (const nlohmann::json::exception& e) {
    return fail(ErrorKind::kIo, name + " does not have the form hone writes: " + e.what(),
                "remove it; hone makes it again");
  }
}

template <typename T>
Result<T> parse_as(std::string_view text, const std::string& name) {
  HONE_TRY(Json json, parse_json(text, name));
  return value_from<T>(json, name);
}

}  // namespace hone

// Absent values are null in JSON.
template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value) {
      j = *value;
    } else {
      j = nullptr;
    }
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null()) {
      value.reset();
    } else {
      value = j.get<T>();
    }
  }
};
