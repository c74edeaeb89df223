// [subject], [source] and [build]: what is built, from what, how.
#include "build_systems/driver.h"
#include "pipeline/recipe/sections.h"
#include "pipeline/recipe/table_reader.h"

namespace hone::pipeline {
namespace {

// More jobs than any build machine has CPUs; a typing error beyond.
constexpr int kJobsLimit = 4096;

}  // namespace

Status read_subject(const Node& table, Recipe* recipe) {
  TableReader reader(table, "[subject]");
  reader.file_name("name", &recipe->subject);
  reader.text("summary", &recipe->summary);
  return reader.finish();
}

Status read_source(const Node& table, const system::Path& folder, const system::Files& files,
                   Source* source) {
  TableReader reader(table, "[source]");
  reader.text("path", &source->path);
  reader.text("apt", &source->apt);
  reader.one_of("path", "apt", false);
  if (const Node* path = table.find("path"); path != nullptr && !source->path.empty()) {
    source->path = (folder / source->path).lexically_normal().string();
    if (!files.is_directory(source->path)) {
      reader.fault(path->origin, "no folder " + source->path,
                   "path in [source] is the tree to build, relative to the recipe's folder");
    }
  }
  HONE_CHECK(reader.finish());
  for (const char* key : {"path", "apt"}) {
    const Node* node = table.find(key);
    if (node != nullptr && node->text.empty()) {
      return tl::make_unexpected(
          recipe_error(node->origin, std::string(key) + " in [source] is empty"));
    }
  }
  return {};
}

Status read_build(const Node& table, Build* build) {
  TableReader reader(table, "[build]");
  reader.choice("system", "build system", build_systems::known_systems(), &build->system);
  reader.text("target", &build->target);
  reader.text("binary", &build->binary);
  reader.texts("configure", &build->configure);
  reader.texts("commands", &build->commands);
  reader.text_map("env", &build->env);
  reader.integer("jobs", 0, kJobsLimit, &build->jobs);
  reader.text_or_integer("toolchain", &build->toolchain);
  reader.texts("packages", &build->packages);
  reader.require("binary", "the program that the build makes, relative to the build tree");
  if (build->system == "custom") {
    reader.require("commands", "the shell lines that build it, since system = \"custom\"");
    const Node* commands = table.find("commands");
    if (commands != nullptr && commands->items.empty()) {
      reader.fault(commands->origin, "commands in [build] is empty");
    }
  } else if (const Node* commands = table.find("commands")) {
    reader.fault(commands->origin, "commands in [build] belongs to system = \"custom\", not \"" +
                                       build->system + "\"");
  }
  if (const Node* binary = table.find("binary"); binary != nullptr && build->binary.empty()) {
    reader.fault(binary->origin, "binary in [build] is empty");
  }
  return reader.finish();
}

}  // namespace hone::pipeline
