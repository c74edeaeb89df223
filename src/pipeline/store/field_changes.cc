#include "pipeline/store/field_changes.h"

#include <algorithm>

#include "base/json.h"

namespace hone::pipeline {
namespace {

// Two such values and a field's name fit one line of 120 columns.
constexpr std::size_t kShownBytes = 44;
// What stays visible before the first difference, so that a reader finds the place.
constexpr std::size_t kContextBytes = 12;
// Enough digits to tell two hashes apart.
constexpr std::size_t kShownDigits = 12;
// A changed object with more members than this is summed up.
constexpr std::size_t kLinesPerField = 6;

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Moves to the start of a UTF-8 sequence, never into the middle of one.
std::size_t at_character(const std::string& text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

std::string shortened(const std::string& text, std::size_t differs_at) {
  if (is_hash(text)) return text.substr(0, kShownDigits) + "...";
  std::string shown;
  if (text.size() <= kShownBytes) {
    shown = text;
  } else {
    const std::size_t wanted = differs_at > kContextBytes ? differs_at - kContextBytes : 0;
    const std::size_t begin = at_character(text, std::min(wanted, text.size() - kShownBytes));
    const std::size_t end = at_character(text, std::min(text.size(), begin + kShownBytes));
    shown = (begin > 0 ? "..." : "") + text.substr(begin, end - begin) +
            (end < text.size() ? "..." : "");
  }
  // A line stays one line.
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return shown.empty() ? "\"\"" : shown;
}

std::string change(const std::string& field, const std::string& before, const std::string& after) {
  const auto [left, right] =
      std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto differs_at = static_cast<std::size_t>(left - before.begin());
  return field + ": " + shortened(before, differs_at) + " -> " + shortened(after, differs_at);
}

Json as_object(const std::string& text) {
  if (!text.starts_with("{")) return nullptr;
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json(nullptr);
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void object_changes(const std::string& field, const Json& before, const Json& after,
                    std::vector<std::string>* lines) {
  for (const auto& [key, value] : before.items()) {
    const std::string name = field + "." + key;
    if (!after.contains(key)) {
      lines->push_back(name + ": " + shortened(text_of(value), 0) + " -> (none)");
    } else if (value.is_object() && after[key].is_object()) {
      object_changes(name, value, after[key], lines);
    } else if (value != after[key]) {
      lines->push_back(change(name, text_of(value), text_of(after[key])));
    }
  }
  for (const auto& [key, value] : after.items()) {
    if (before.contains(key)) continue;
    lines->push_back(field + "." + key + ": (none) -> " + shortened(text_of(value), 0));
  }
}

const std::string* find(const Fields& fields, const std::string& name) {
  for (const auto& [field, value] : fields) {
    if (field == name) return &value;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> field_changes(const Fields& before, const Fields& after) {
  std::vector<std::string> lines;
  for (const auto& [field, old_value] : before) {
    const std::string* new_value = find(after, field);
    if (new_value == nullptr) {
      lines.push_back(field + ": " + shortened(old_value, 0) + " -> (none)");
      continue;
    }
    if (*new_value == old_value) continue;
    const Json old_object = as_object(old_value), new_object = as_object(*new_value);
    if (!old_object.is_object() || !new_object.is_object()) {
      lines.push_back(change(field, old_value, *new_value));
      continue;
    }
    std::vector<std::string> members;
    object_changes(field, old_object, new_object, &members);
    if (members.size() > kLinesPerField) {
      const std::size_t more = members.size() - (kLinesPerField - 1);
      members.resize(kLinesPerField - 1);
      members.push_back(field + ": and " + std::to_string(more) + " more");
    }
    lines.insert(lines.end(), members.begin(), members.end());
  }
  for (const auto& [field, value] : after) {
    if (find(before, field) == nullptr) {
      lines.push_back(field + ": (none) -> " + shortened(value, 0));
    }
  }
  return lines;
}

}  // namespace hone::pipeline
