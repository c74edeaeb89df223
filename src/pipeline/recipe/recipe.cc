// A recipe is read in three steps, each ignorant of the others: text to a tree with positions
// (document), --set changes on the tree (overrides), tables to values with every check (sections).
// Rejected: reading TOML straight into the structs, since then --set would need a second set of
// checks and no error could name a column.
#include "pipeline/recipe/recipe.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "pipeline/recipe/document.h"
#include "pipeline/recipe/overrides.h"
#include "pipeline/recipe/sections.h"
#include "pipeline/recipe/table_reader.h"

namespace hone::pipeline {
namespace {

// The load of a recipe that names none: where a server's operator would run it.
constexpr double kDefaultBusy = 0.6;

Node text_node(const std::string& text, const Origin& origin) {
  Node node;
  node.kind = Node::Kind::kText;
  node.text = text;
  node.origin = origin;
  return node;
}

// Put into the tree, not into the value, so that `--set load.busy.busy=0.5` reaches it.
void add_default_load(Node* root) {
  if (root->find("load") != nullptr) return;
  Node busy;
  busy.kind = Node::Kind::kNumber;
  busy.number = kDefaultBusy;
  busy.origin = root->origin;
  Node load;
  load.origin = root->origin;
  load.put("name", text_node("busy", root->origin));
  load.put("busy", busy);
  Node list;
  list.kind = Node::Kind::kArray;
  list.origin = root->origin;
  list.items.push_back(load);
  root->put("load", list);
}

// A zero byte ends a C string: an argument or a path would silently be cut there.
const Node* find_zero_byte(const Node& node) {
  if (node.text.find('\0') != std::string::npos) return &node;
  for (const Node& item : node.items) {
    if (const Node* found = find_zero_byte(item)) return found;
  }
  for (const Node::Member& member : node.members) {
    if (member.key.find('\0') != std::string::npos) return &member.value;
    if (const Node* found = find_zero_byte(member.value)) return found;
  }
  return nullptr;
}

struct Tables {
  const Node *subject, *source, *build, *server, *train, *load, *prove, *shape;
};

Result<Tables> read_top(const Node& root) {
  TableReader reader(root, "the recipe");
  Tables tables{};
  tables.subject = reader.node("subject", Node::Kind::kTable);
  tables.source = reader.node("source", Node::Kind::kTable);
  tables.build = reader.node("build", Node::Kind::kTable);
  tables.server = reader.node("server", Node::Kind::kTable);
  tables.train = reader.node("train", Node::Kind::kTable);
  tables.load = reader.node("load", Node::Kind::kArray);
  tables.prove = reader.node("prove", Node::Kind::kTable);
  tables.shape = reader.node("shape", Node::Kind::kArray);
  reader.require("source", "a table [source] with the tree's path or a source package");
  reader.require("build", "a table [build] that says how it is built");
  reader.require("server", "a table [server] that says how it is started");
  reader.require("shape", "at least one table [[shape]]");
  for (const auto& [key, array] : {std::pair{"shape", tables.shape}, {"load", tables.load}}) {
    if (array != nullptr && array->items.empty()) {
      reader.fault(array->origin,
                   std::string(key) + " is empty: write at least one [[" + key + "]]");
    }
  }
  HONE_CHECK(reader.finish());
  return tables;
}

// The folder's name where [subject] has none, made plain: other letters become '-'.
std::string subject_from(const system::Path& folder) {
  std::string name = folder.filename().string();
  for (char& c : name) {
    if (!is_plain_name({&c, 1})) c = '-';
  }
  return name.empty() ? "subject" : name.substr(0, kNameLimit);
}

}  // namespace

Result<Recipe> parse_recipe(const std::string& text, const system::Path& file,
                            const std::vector<std::string>& sets, system::System& system) {
  HONE_TRY(Node root, parse_document(text, file.string()));
  add_default_load(&root);
  for (const std::string& set : sets) HONE_CHECK(apply_set(set, &root));
  if (const Node* bad = find_zero_byte(root)) {
    return tl::make_unexpected(recipe_error(bad->origin, "a zero byte cannot be part of a recipe"));
  }
  Recipe recipe;
  recipe.file = std::filesystem::absolute(file).lexically_normal().string();
  const system::Path folder = system::Path(recipe.file).parent_path();
  recipe.subject = subject_from(folder);
  HONE_TRY(const Tables tables, read_top(root));
  if (tables.subject != nullptr) HONE_CHECK(read_subject(*tables.subject, &recipe));
  HONE_CHECK(read_source(*tables.source, folder, *system.files, &recipe.source));
  HONE_CHECK(read_build(*tables.build, &recipe.build));
  HONE_CHECK(read_server(*tables.server, folder, *system.files, &recipe.server));
  if (tables.train != nullptr) HONE_CHECK(read_train(*tables.train, &recipe.train));
  HONE_CHECK(read_loads(*tables.load, &recipe.loads));
  if (tables.prove != nullptr) {
    HONE_CHECK(read_prove(*tables.prove, recipe.server.workers, &recipe.prove));
  }
  HONE_CHECK(read_shapes(*tables.shape, &recipe.shapes));
  return recipe;
}

Result<Recipe> load_recipe(const system::Path& path, const std::vector<std::string>& sets,
                           system::System& system) {
  system::Path file = path;
  if (system.files->is_directory(path)) file /= "recipe.toml";
  auto text = system.files->read(file);
  if (!text) {
    Error error = while_doing(text.error(), "reading the recipe");
    if (error.next.empty()) error.next = "give a recipe.toml, or a folder with one in it";
    return tl::make_unexpected(std::move(error));
  }
  return parse_recipe(*text, file, sets, system);
}

}  // namespace hone::pipeline
