#include "pipeline/recipe/overrides.h"

#include <array>
#include <vector>

#include "base/text.h"

namespace hone::pipeline {
namespace {

// Of these pairs a recipe has exactly one, so setting one from the command line takes the other
// away: `--set load.busy.rate=8000` must not end in "exactly one of rate and busy".
struct Alternative {
  const char* table;  // path of the table; the entry's name left out
  const char* one;
  const char* other;
};
constexpr std::array<Alternative, 4> kAlternatives = {{{"load", "rate", "busy"},
                                                       {"source", "path", "apt"},
                                                       {"server.stop", "signal", "post"},
                                                       {"server.ready", "http", "tcp"}}};

bool is_list_of_tables(std::string_view key) { return key == "shape" || key == "load"; }

Error usage(const std::string& set, const std::string& why, const std::string& next) {
  return Error{ErrorKind::kUsage, "--set " + set + ": " + why, {}, next, {}};
}

// The entry of `list` whose name is `wanted`.
Result<Node*> find_entry(const std::string& set, const std::string& key, Node* list,
                         const std::string& wanted) {
  std::vector<std::string> names;
  for (Node& entry : list->items) {
    const Node* name = entry.find("name");
    if (name == nullptr || name->kind != Node::Kind::kText) continue;
    if (name->text == wanted) return &entry;
    names.push_back(name->text);
  }
  const std::string near = nearest(wanted, names);
  return tl::make_unexpected(usage(set, "no [[" + key + "]] is named '" + wanted + "'",
                                   near.empty()
                                       ? (names.empty() ? "the recipe has no [[" + key + "]]"
                                                        : "the names are " + join(names, ", "))
                                       : "did you mean '" + near + "'?"));
}

Node table_at(const Origin& origin) {
  Node node;
  node.origin = origin;
  return node;
}

}  // namespace

Status apply_set(const std::string& set, Node* root) {
  const std::string form = "the form is --set TABLE.KEY=VALUE, for example --set prove.rounds=12";
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos) {
    return tl::make_unexpected(usage(set, "there is no '='", form));
  }
  const std::vector<std::string> path = split(trim(std::string_view(set).substr(0, equals)), '.');
  for (const std::string& part : path) {
    if (part.empty()) return tl::make_unexpected(usage(set, "a part of the key is empty", form));
  }
  if (path.size() < 2) return tl::make_unexpected(usage(set, "the key has no table", form));
  const Origin origin{"--set " + set, 0, 0, true};

  Node* table = root;
  std::string place;  // as in kAlternatives
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    Node* next = table->find(path[i]);
    if (next == nullptr) next = &table->put(path[i], table_at(origin));
    place += (place.empty() ? "" : ".") + path[i];
    if (i == 0 && is_list_of_tables(path[i]) && next->kind == Node::Kind::kArray) {
      if (path.size() < 3) {
        return tl::make_unexpected(usage(set, "'" + path[0] + "' is a list: its entry is missing",
                                         "write --set " + path[0] + ".NAME.KEY=VALUE"));
      }
      HONE_TRY(next, find_entry(set, path[0], next, path[1]));
      ++i;
    }
    if (next->kind != Node::Kind::kTable) {
      return tl::make_unexpected(
          usage(set, "'" + place + "' is " + name(next->kind) + ", not a table", form));
    }
    table = next;
  }
  for (const Alternative& pair : kAlternatives) {
    if (place != pair.table) continue;
    if (path.back() == pair.one) table->erase(pair.other);
    if (path.back() == pair.other) table->erase(pair.one);
  }
  table->put(path.back(), parse_value(trim(std::string_view(set).substr(equals + 1)), origin));
  return {};
}

}  // namespace hone::pipeline
