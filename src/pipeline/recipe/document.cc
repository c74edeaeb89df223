#include "pipeline/recipe/document.h"

#include <algorithm>
#include <sstream>
#include <tuple>

#include "pipeline/recipe/toml_library.h"

namespace hone::pipeline {
namespace {

Origin origin_of(const toml::source_region& region, const Origin& base) {
  Origin origin = base;
  if (!base.command_line) {
    origin.line = region.begin.line;
    origin.column = region.begin.column;
  }
  return origin;
}

template <typename T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

Node convert(const toml::node& from, const Origin& base);

void convert_table(const toml::table& table, const Origin& base, Node* into) {
  for (const auto& [key, value] : table) {
    into->members.push_back(
        {std::string(key.str()), origin_of(key.source(), base), convert(value, base)});
  }
  // The library sorts by name; a reader expects the order of the file (request headers keep it).
  const auto place = [](const Node::Member& member) {
    return std::tie(member.key_origin.line, member.key_origin.column, member.key);
  };
  std::sort(into->members.begin(), into->members.end(),
            [&](const Node::Member& a, const Node::Member& b) { return place(a) < place(b); });
}

Node convert(const toml::node& from, const Origin& base) {
  Node node;
  node.origin = origin_of(from.source(), base);
  if (const auto* table = from.as_table()) {
    convert_table(*table, base, &node);
  } else if (const auto* array = from.as_array()) {
    node.kind = Node::Kind::kArray;
    for (const toml::node& item : *array) node.items.push_back(convert(item, base));
  } else if (const auto* text = from.as_string()) {
    node.kind = Node::Kind::kText;
    node.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.kind = Node::Kind::kInteger;
    node.integer = integer->get();
    node.number = static_cast<double>(node.integer);
  } else if (const auto* number = from.as_floating_point()) {
    node.kind = Node::Kind::kNumber;
    node.number = number->get();
  } else if (const auto* flag = from.as_boolean()) {
    node.kind = Node::Kind::kFlag;
    node.flag = flag->get();
  } else {
    node.kind = Node::Kind::kDate;
    if (const auto* date = from.as_date()) node.text = printed(date->get());
    if (const auto* time = from.as_time()) node.text = printed(time->get());
    if (const auto* both = from.as_date_time()) node.text = printed(both->get());
  }
  return node;
}

}  // namespace

std::string to_string(const Origin& origin) {
  if (origin.line == 0) return origin.source;
  return origin.source + ":" + std::to_string(origin.line) + ":" + std::to_string(origin.column);
}

Node* Node::find(std::string_view key) {
  for (Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Node* Node::find(std::string_view key) const { return const_cast<Node*>(this)->find(key); }

Node& Node::put(const std::string& key, Node value) {
  const Origin origin_of_key = value.origin;
  if (Node* old = find(key)) {
    for (Member& member : members) {
      if (member.key == key) member.key_origin = origin_of_key;
    }
    *old = std::move(value);
    return *old;
  }
  members.push_back({key, origin_of_key, std::move(value)});
  return members.back().value;
}

void Node::erase(std::string_view key) {
  std::erase_if(members, [&](const Member& member) { return member.key == key; });
}

const char* name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kTable:
      return "a table";
    case Node::Kind::kArray:
      return "an array";
    case Node::Kind::kText:
      return "text";
    case Node::Kind::kInteger:
      return "a whole number";
    case Node::Kind::kNumber:
      return "a number";
    case Node::Kind::kFlag:
      return "true or false";
    case Node::Kind::kDate:
      return "a date or time";
  }
  return "an unknown value";
}

Json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kTable: {
      Json json = Json::object();
      for (const Node::Member& member : node.members) json[member.key] = to_json(member.value);
      return json;
    }
    case Node::Kind::kArray: {
      Json json = Json::array();
      for (const Node& item : node.items) json.push_back(to_json(item));
      return json;
    }
    case Node::Kind::kInteger:
      return node.integer;
    case Node::Kind::kNumber:
      return node.number;
    case Node::Kind::kFlag:
      return node.flag;
    case Node::Kind::kText:
    case Node::Kind::kDate:
      break;
  }
  return node.text;
}

Result<Node> parse_document(std::string_view text, const std::string& file) {
  const toml::parse_result result = toml::parse(text);
  const Origin base{file};
  if (!result) {
    const toml::parse_error& error = result.error();
    return fail(
        ErrorKind::kRecipe,
        to_string(origin_of(error.source(), base)) + ": " + std::string(error.description()),
        "mend the TOML there; https://toml.io has the grammar");
  }
  Node root;
  root.origin = base;
  convert_table(result.table(), base, &root);
  return root;
}

Node parse_value(std::string_view text, const Origin& origin) {
  const toml::parse_result result = toml::parse("value = " + std::string(text));
  // A line break could smuggle in a second key: then it is text, which no numeric key accepts.
  if (result && result.table().size() == 1) {
    if (const toml::node* value = result.table().get("value")) return convert(*value, origin);
  }
  Node node;
  node.kind = Node::Kind::kText;
  node.origin = origin;
  node.text = text;
  return node;
}

}  // namespace hone::pipeline
