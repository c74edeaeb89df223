// All variants of a subject are built at one and the same path, one after the other, each in a
// fresh tree of its own. A path gets into a binary: through __FILE__, debug information, and the
// names that profiles give to static functions. With a path per variant, a project that compiles by
// absolute path would lose the counts of all its static functions, and variants would differ in
// more than their flags.

#include "pipeline/build/build_tree.h"

#include "base/text.h"

namespace hone::pipeline {
namespace {

constexpr char kOwner[] = ".hone/owner";

Status put_aside(const system::Path& place, const system::Path& work, system::Files& files) {
  const Result<std::string> owner = files.read(place / kOwner);
  const system::Path owners_folder = work.parent_path() / (owner ? trim(*owner) : "");
  // Whoever has been committed, or removed, has no folder to go on in.
  if (!owner || trim(*owner).empty() || !files.is_directory(owners_folder)) {
    return files.remove_all(place);
  }
  HONE_CHECK(files.remove_all(owners_folder / "tree"));
  return files.rename(place, owners_folder / "tree");
}

}  // namespace

Result<BuildTree> enter_build_tree(const system::Path& place, const system::Path& work,
                                   system::Files& files) {
  const std::string name = work.filename().string();
  if (files.exists(place)) {
    const Result<std::string> owner = files.read(place / kOwner);
    if (owner && trim(*owner) == name) return BuildTree{place, true};
    HONE_CHECK(put_aside(place, work, files));
  }
  const bool resumed = files.is_directory(work / "tree");
  if (resumed) {
    HONE_CHECK(files.rename(work / "tree", place));
  } else {
    HONE_CHECK(files.make_directories(place / ".hone"));
  }
  HONE_CHECK(files.write(place / kOwner, name + "\n"));
  return BuildTree{place, resumed};
}

}  // namespace hone::pipeline
