#include "pipeline/recipe/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"

namespace hone::pipeline {
namespace {

const char kSeeKeys[] = "docs/recipe.md lists every key";

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string describe(const TableReader::Range& range) {
  return fmt::format("{}{:g} {} {:g}", range.above_low ? "above " : "", range.low,
                     range.below_high ? "and below" : "to", range.high);
}

}  // namespace

Error recipe_error(const Origin& origin, const std::string& what, const std::string& next) {
  const ErrorKind kind = origin.command_line ? ErrorKind::kUsage : ErrorKind::kRecipe;
  return Error{kind, to_string(origin) + ": " + what, {}, next.empty() ? kSeeKeys : next, {}};
}

TableReader::TableReader(const Node& table, std::string name)
    : table_(table), name_(std::move(name)) {}

const Node* TableReader::node(const std::string& key) {
  known_.push_back(key);
  return table_.find(key);
}

const Node* TableReader::node(const std::string& key, Node::Kind kind) {
  const Node* found = node(key);
  if (found == nullptr || found->kind == kind) return found;
  wrong_kind(key, *found, pipeline::name(kind));
  return nullptr;
}

void TableReader::fault(const Origin& origin, const std::string& what, const std::string& next) {
  if (!fault_) fault_ = recipe_error(origin, what, next);
}

void TableReader::wrong_kind(const std::string& key, const Node& node,
                             const std::string& expected) {
  fault(node.origin,
        key + " in " + name_ + " must be " + expected + ", not " + pipeline::name(node.kind));
}

void TableReader::out_of_range(const std::string& key, const Node& node,
                               const std::string& allowed) {
  const std::string value =
      node.kind == Node::Kind::kText ? quoted(node.text) : to_json(node).dump();
  fault(node.origin, key + " = " + value + " in " + name_ + " is out of range: " + allowed);
}

bool TableReader::fits(const std::string& key, const Node& node, double value, const Range& range) {
  // Written so that NaN fits nothing.
  const bool low = range.above_low ? value > range.low : value >= range.low;
  const bool high = range.below_high ? value < range.high : value <= range.high;
  if (low && high) return true;
  out_of_range(key, node, describe(range));
  return false;
}

void TableReader::text(const std::string& key, std::string* out) {
  if (const Node* found = node(key, Node::Kind::kText)) *out = found->text;
}

void TableReader::integer(const std::string& key, long long low, long long high, long long* out) {
  const Node* found = node(key, Node::Kind::kInteger);
  if (found == nullptr) return;
  if (found->integer < low || found->integer > high) {
    out_of_range(key, *found, fmt::format("{} to {}", low, high));
    return;
  }
  *out = found->integer;
}

void TableReader::integer(const std::string& key, long long low, long long high, int* out) {
  long long value = *out;
  integer(key, low, high, &value);
  *out = static_cast<int>(value);
}

void TableReader::number(const std::string& key, const Range& range, double* out) {
  const Node* found = node(key);
  if (found == nullptr) return;
  if (found->kind != Node::Kind::kInteger && found->kind != Node::Kind::kNumber) {
    wrong_kind(key, *found, "a number");
  } else if (fits(key, *found, found->number, range)) {
    *out = found->number;
  }
}

void TableReader::duration(const std::string& key, const Range& range, double* out) {
  const Node* found = node(key);
  if (found == nullptr) return;
  double value = found->number;
  if (found->kind == Node::Kind::kText) {
    const auto parsed = parse_duration_s(found->text);
    if (!parsed) {
      fault(found->origin, key + " = " + quoted(found->text) + " in " + name_ +
                               " is not a duration: write seconds, or text as \"500ms\", \"2s\" "
                               "or \"1.5m\"");
      return;
    }
    value = *parsed;
  } else if (found->kind != Node::Kind::kInteger && found->kind != Node::Kind::kNumber) {
    wrong_kind(key, *found, "seconds or text as \"500ms\"");
    return;
  }
  if (fits(key, *found, value, range)) *out = value;
}

void TableReader::flag(const std::string& key, bool* out) {
  if (const Node* found = node(key, Node::Kind::kFlag)) *out = found->flag;
}

void TableReader::texts(const std::string& key, std::vector<std::string>* out) {
  const Node* found = node(key, Node::Kind::kArray);
  if (found == nullptr) return;
  out->clear();
  for (const Node& item : found->items) {
    if (item.kind != Node::Kind::kText) {
      wrong_kind("every item of " + key, item, "text");
      return;
    }
    out->push_back(item.text);
  }
}

void TableReader::text_map(const std::string& key, std::map<std::string, std::string>* out) {
  const Node* found = node(key, Node::Kind::kTable);
  if (found == nullptr) return;
  out->clear();
  for (const Node::Member& member : found->members) {
    if (member.value.kind != Node::Kind::kText) {
      wrong_kind(key + "." + member.key, member.value, "text");
      return;
    }
    if (member.key.empty() ||
        member.key.find_first_of(std::string("=\0", 2)) != std::string::npos) {
      fault(member.key_origin, quoted(member.key) + " in " + key + " of " + name_ +
                                   " cannot name an environment variable");
      return;
    }
    (*out)[member.key] = member.value.text;
  }
}

void TableReader::text_or_integer(const std::string& key, std::string* out) {
  const Node* found = node(key);
  if (found == nullptr) return;
  if (found->kind == Node::Kind::kText) {
    *out = found->text;
  } else if (found->kind == Node::Kind::kInteger) {
    *out = std::to_string(found->integer);
  } else {
    wrong_kind(key, *found, "text or a whole number");
  }
}

void TableReader::choice(const std::string& key, const std::string& what,
                         const std::vector<std::string>& allowed, std::string* out) {
  const Node* found = node(key, Node::Kind::kText);
  if (found == nullptr) return;
  if (std::find(allowed.begin(), allowed.end(), found->text) != allowed.end()) {
    *out = found->text;
    return;
  }
  const std::string near = nearest(found->text, allowed);
  fault(found->origin,
        "unknown " + what + " " + quoted(found->text) + " in " + name_ +
            (near.empty() ? "" : "; did you mean " + quoted(near) + "?"),
        "known: " + join(allowed, ", "));
}

void TableReader::file_name(const std::string& key, std::string* out) {
  const Node* found = node(key, Node::Kind::kText);
  if (found == nullptr) return;
  const std::string& value = found->text;
  if (!is_plain_name(value)) {
    fault(found->origin, key + " = " + quoted(value) + " in " + name_ +
                             " becomes a file name: 1 to " + std::to_string(kNameLimit) +
                             " letters, digits, '-' and '_'");
    return;
  }
  *out = value;
}

void TableReader::require(const std::string& key, const std::string& why) {
  if (table_.find(key) != nullptr || missing_) return;
  missing_ = recipe_error(table_.origin, name_ + " needs " + quoted(key) + ": " + why);
}

void TableReader::one_of(const std::string& a, const std::string& b, bool optional) {
  const Node* first = table_.find(a);
  const Node* second = table_.find(b);
  if (first != nullptr && second != nullptr) {
    fault(second->origin,
          name_ + " has both " + quoted(a) + " and " + quoted(b) + ": keep exactly one");
  } else if (first == nullptr && second == nullptr && !optional && !missing_) {
    missing_ = recipe_error(table_.origin,
                            name_ + " needs exactly one of " + quoted(a) + " and " + quoted(b));
  }
}

Status TableReader::finish() {
  for (const Node::Member& member : table_.members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    const std::string near = nearest(member.key, known_);
    return tl::make_unexpected(
        recipe_error(member.key_origin,
                     "unknown key " + quoted(member.key) + " in " + name_ +
                         (near.empty() ? "" : "; did you mean " + quoted(near) + "?"),
                     "known: " + join(known_, ", ")));
  }
  if (fault_) return tl::make_unexpected(*fault_);
  if (missing_) return tl::make_unexpected(*missing_);
  return {};
}

}  // namespace hone::pipeline
