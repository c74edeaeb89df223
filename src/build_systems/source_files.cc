// Build trees are known by what they hold and not by the name "build": real projects keep sources
// under that name (Traffic Server's Autoconf macros), and people call their trees anything.
//
// The copy is tar's: it keeps modification times, without which make would run Autoconf and
// Automake again, and links of every kind. .git stays behind, so what is built is what was
// identified; a project that asks git for its version takes the way of a released archive. Two
// commands with a file between them, since a shell's pipe hides a failure of its first half.

#include "build_systems/source_files.h"

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "system/interrupt.h"

namespace hone::build_systems {
namespace {

bool marks_output(const std::string& name) {
  return name == "CMakeCache.txt" || name == "build.ninja" || name == "recipe.locked.json";
}

// Calls `see` with every folder above `file`, the outermost first, until it returns true.
template <typename See>
bool any_folder(const std::string& file, See see) {
  for (std::size_t at = file.find('/'); at != std::string::npos; at = file.find('/', at + 1)) {
    if (see(file.substr(0, at))) return true;
  }
  return false;
}

bool private_folder(const std::string& folder) {
  const std::string name = folder.substr(folder.rfind('/') + 1);
  return name == ".git" || name == ".hone";
}

}  // namespace

Result<SourceTree> read_source_tree(const system::Path& root, system::System& os) {
  HONE_TRY(const std::vector<system::Path> all, os.files->list_tree(root));
  SourceTree tree;
  std::set<std::string> left_out;
  for (const system::Path& file : all) {
    const std::string name = file.lexically_relative(root).generic_string();
    tree.files.push_back(name);
    any_folder(name, [&](const std::string& folder) {
      return private_folder(folder) && (left_out.insert(folder), true);
    });
    // One in the root itself is left: a build in the source folder cannot be told apart from it.
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos && marks_output(name.substr(slash + 1))) {
      left_out.insert(name.substr(0, slash));
    }
  }
  std::erase_if(tree.files, [&](const std::string& name) {
    return any_folder(name, [&](const std::string& f) { return left_out.count(f) != 0; });
  });
  std::sort(tree.files.begin(), tree.files.end());
  tree.left_out.assign(left_out.begin(), left_out.end());
  return tree;
}

Result<std::string> source_hash(const system::Path& root, system::System& os) {
  HONE_TRY(const SourceTree tree, read_source_tree(root, os));
  Sha256 hash;
  for (const std::string& file : tree.files) {
    HONE_CHECK(system::check_interrupted());
    HONE_TRY(const std::string content, os.files->sha256(root / file));
    hash.add(file + "\n" + content + "\n");
  }
  return hash.hex();
}

Status copy_source(const Job& job, Steps& steps, system::System& os) {
  if (steps.done("copy", job.source.string())) return {};
  HONE_TRY(const SourceTree source, read_source_tree(job.source, os));
  const std::string archive = (job.tree / ".hone" / "source.tar").string();
  std::vector<std::string> pack = {"tar", "-cf", archive, "--anchored", "--no-wildcards"};
  for (const std::string& folder : source.left_out) pack.push_back("--exclude=./" + folder);
  // A tree of hone's that lies inside the source under another name than .hone.
  const std::string own = job.tree.lexically_relative(job.source).generic_string();
  if (!own.empty() && own.rfind("..", 0) != 0) pack.push_back("--exclude=./" + own);
  pack.insert(pack.end(), {"-C", job.source.string(), "."});
  HONE_CHECK(steps.run("packing the source", pack, job.tree, {}));
  HONE_CHECK(steps.run("copying the source",
                       {"tar", "-xf", archive, "--no-same-owner", "-C", job.tree.string()},
                       job.tree, {}));
  HONE_CHECK(os.files->remove_all(archive));
  return steps.mark("copy", job.source.string());
}

}  // namespace hone::build_systems
