// A TOML text as a tree with positions. The one place that knows which TOML library hone uses; what
// a recipe means is decided above it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace hone::pipeline {

// Where a value was written: in a file, or on the command line.
struct Origin {
  std::string source;                  // "recipe.toml", or "--set prove.rounds=6"
  std::uint32_t line = 0, column = 0;  // from 1; 0: the source as a whole
  bool command_line = false;
};
std::string to_string(const Origin&);  // "recipe.toml:12:3"

struct Node {
  enum class Kind { kTable, kArray, kText, kInteger, kNumber, kFlag, kDate };
  struct Member;

  Kind kind = Kind::kTable;
  Origin origin;                // of the value
  std::string text;             // kText; kDate: as a reader would write it
  std::int64_t integer = 0;     // kInteger
  double number = 0;            // kNumber, and kInteger as well
  bool flag = false;            // kFlag
  std::vector<Member> members;  // kTable, in the order written
  std::vector<Node> items;      // kArray

  Node* find(std::string_view key);  // of a table; nullptr when absent
  const Node* find(std::string_view key) const;
  Node& put(const std::string& key, Node value);  // replaces or appends
  void erase(std::string_view key);
};

struct Node::Member {
  std::string key;
  Origin key_origin;
  Node value;
};

const char* name(Node::Kind kind);  // "a table", "text", "a whole number"
Json to_json(const Node&);          // dates become text

// kRecipe with file, line and column where the text is not TOML.
Result<Node> parse_document(std::string_view text, const std::string& file);

// The value right of `=` in a --set: TOML, or else the bare words themselves as text.
Node parse_value(std::string_view text, const Origin& origin);

}  // namespace hone::pipeline
