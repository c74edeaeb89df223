// The product is written beside its place and then put there. A folder that is not there yet
// appears by one rename. One that is there may hold other files of the user's, so only the
// product's own are replaced, each by a rename; SHA256SUMS goes first and comes back last, so a
// folder with it is whole.

#include "pipeline/optimize/optimize.h"

#include "base/text.h"
#include "pipeline/optimize/product_text.h"

namespace hone::pipeline {
namespace {

using system::Path;

constexpr char kSums[] = "SHA256SUMS";

Status run(const std::vector<std::string>& argv, system::System& os) {
  system::Command command;
  command.argv = argv;
  HONE_CHECK(os.processes->capture(command));
  return {};
}

// The stripped program, and beside it what a debugger needs, tied by build id and debug link.
Status write_program(const Path& from, const Path& to, const toolchain::Toolchain& tools,
                     system::System& os) {
  Path debug = to;
  debug += ".debug";
  HONE_CHECK(run({tools.objcopy, "--only-keep-debug", from.string(), debug.string()}, os));
  HONE_CHECK(os.files->set_mode(debug, 0644));
  HONE_CHECK(run({tools.strip, "-o", to.string(), from.string()}, os));
  HONE_CHECK(run({tools.objcopy, "--add-gnu-debuglink=" + debug.string(), to.string()}, os));
  return os.files->set_mode(to, 0755);
}

// In the form that `sha256sum -c` reads.
Result<std::string> sums(const Path& folder, const std::vector<std::string>& names,
                         system::System& os) {
  std::string text;
  for (const std::string& name : names) {
    HONE_TRY(const std::string hash, os.files->sha256(folder / name));
    text += hash + "  " + name + "\n";
  }
  return text;
}

Status put_in_place(const Path& staged, const Path& folder, const std::vector<std::string>& names,
                    system::System& os) {
  if (!os.files->exists(folder)) return os.files->rename(staged, folder);
  HONE_CHECK(os.files->remove_all(folder / kSums));
  for (const std::string& name : names) {
    HONE_CHECK(os.files->make_directories((folder / name).parent_path()));
    HONE_CHECK(os.files->rename(staged / name, folder / name));
  }
  HONE_CHECK(os.files->rename(staged / kSums, folder / kSums));
  return os.files->remove_all(staged);
}

}  // namespace

Result<Product> write_product(const Recipe& recipe, const FetchedSource& source,
                              const BuiltBinary& optimized, const MergedProfile& profile,
                              const toolchain::Toolchain& tools, const system::Path& folder,
                              system::System& os) {
  const std::string name = Path(optimized.path).filename().string();
  const std::vector<std::string> names = {"bin/" + name, "bin/" + name + ".debug",
                                          name + ".profdata", "recipe.locked.json", "flags.txt"};
  Path staged = folder;
  staged += ".part";
  HONE_CHECK(os.files->remove_all(staged));
  HONE_CHECK(os.files->make_directories(staged / "bin"));
  HONE_CHECK(write_program(optimized.path, staged / names[0], tools, os));
  HONE_CHECK(os.files->copy(profile.path, staged / names[2]));
  HONE_CHECK(
      os.files->write(staged / names[3], locked_recipe(recipe, source, optimized, profile, tools)));
  HONE_CHECK(
      os.files->write(staged / names[4], flags_text(name, source, optimized, profile, tools)));
  HONE_TRY(const std::string hashes, sums(staged, names, os));
  HONE_CHECK(os.files->write(staged / kSums, hashes));
  HONE_CHECK(put_in_place(staged, folder, names, os));

  Product product;
  product.folder = folder.string();
  product.files = names;
  product.files.emplace_back(kSums);
  return product;
}

}  // namespace hone::pipeline
