// A variant's binary is kept under everything that can change it: the source's identity, what the
// recipe says about building, the toolchain, the flags and the profile's content. Left out on
// purpose: the number of jobs, the packages, and everything of the recipe that only matters when
// the program runs. The profile's path is left out of the flags for the fingerprint, since its hash
// is in.
//
// The build's tree goes once the binary is out of it (a tree is a hundred times the binary); the
// log stays beside the binary.

#include "pipeline/build/build.h"

#include <filesystem>

#include "base/text.h"
#include "base/units.h"
#include "build_systems/driver.h"
#include "pipeline/build/binary_size.h"
#include "pipeline/build/build_tree.h"
#include "pipeline/build/packages.h"
#include "pipeline/build/profile_use.h"
#include "pipeline/build/recipe_words.h"
#include "pipeline/build/variant_flags.h"
#include "system/cpus.h"

namespace hone::pipeline {
namespace {

using system::Path;

constexpr char kBuildKind[] = "build";
// Raised when hone itself builds differently from the same recipe and flags.
constexpr char kMethod[] = "1";

class VariantBuild {
 public:
  VariantBuild(const Recipe& recipe, const FetchedSource& source, const std::string& variant,
               const std::string& profile, const toolchain::Toolchain& tools, Store& store,
               system::System& os, Observer& observer)
      : recipe_(recipe),
        source_(source),
        variant_(variant),
        profile_(profile.empty() ? "" : std::filesystem::absolute(profile).string()),
        // A build with a profile is the optimize stage's.
        stage_(profile.empty() ? "2-build" : "5-optimize"),
        tools_(tools),
        store_(store),
        os_(os),
        observer_(observer) {}

  Result<BuiltBinary> run() {
    HONE_TRY(flags_, variant_flags(variant_, profile_, tools_));
    HONE_TRY(const Fingerprint fingerprint, fingerprint_of_all());
    const std::vector<std::string> changes = store_.changes(stage_, variant_, fingerprint);
    const std::string because = changes.empty() ? "" : join(changes, "; ");
    if (const std::optional<Path> place = store_.find(kBuildKind, fingerprint)) {
      HONE_TRY(BuiltBinary built, load(*place));
      if (os_.files->exists(built.path)) {
        say("reused" + (because.empty() ? "" : " (" + because + ")"));
        built.reused = true;
        HONE_CHECK(store_.use(stage_, variant_, *place));
        return built;
      }
      say("again, because its program is gone from " + place->string());
    }
    if (!because.empty()) say("again, because " + because);
    return make(fingerprint);
  }

 private:
  void say(const std::string& text) { observer_.line("build " + variant_ + ": " + text); }

  Result<Fingerprint> fingerprint_of_all() {
    const Build& build = recipe_.build;
    Fingerprint fingerprint;
    fingerprint.add("method", std::string(kMethod));
    fingerprint.add("source", source_.identity);
    fingerprint.add("build.system", build.system);
    fingerprint.add("build.target", build.target);
    fingerprint.add("build.binary", build.binary);
    fingerprint.add("build.configure", Json(build.configure));
    fingerprint.add("build.commands", Json(build.commands));
    fingerprint.add("build.env", Json(build.env));
    HONE_TRY(const auto files, recipe_files(recipe_, os_));
    for (const auto& [name, hash] : files) fingerprint.add("file " + name, hash);
    if (build.system == "prebuilt" && os_.files->exists(Path(source_.path) / build.binary)) {
      HONE_TRY(const std::string hash, os_.files->sha256(Path(source_.path) / build.binary));
      fingerprint.add("prebuilt", hash);
    }
    fingerprint.add("toolchain", tools_.version + " " + tools_.cc);
    fingerprint.add("flags.compile", plain(flags_.compile));
    fingerprint.add("flags.link", plain(flags_.link));
    std::string profile_hash;
    if (!profile_.empty()) {
      HONE_TRY(profile_hash, os_.files->sha256(profile_));
    }
    fingerprint.add("profile", profile_hash);
    return fingerprint;
  }

  Json plain(const std::vector<std::string>& flags) const {
    std::vector<std::string> texts;
    for (const std::string& flag : flags) {
      texts.push_back(profile_.empty() ? flag : replace_all(flag, profile_, "PROFILE"));
    }
    return texts;
  }

  Result<BuiltBinary> make(const Fingerprint& fingerprint) {
    HONE_TRY(Path work, store_.begin(kBuildKind, fingerprint));
    work = std::filesystem::absolute(work);
    const Path place = std::filesystem::absolute(store_.root()) / "tree";
    HONE_TRY(const BuildTree tree, enter_build_tree(place, work, *os_.files));
    say(tree.resumed ? "going on where it was cut; its cost counts from here; log: " +
                           (work / "build.log").string()
                     : "compiling; log: " + (work / "build.log").string());

    HONE_TRY(const build_systems::Job job, job_for(tree.path, work));
    const auto driver = build_systems::make_driver(recipe_.build.system);
    if (driver == nullptr) {
      return fail(ErrorKind::kRecipe, "no build system is called " + recipe_.build.system,
                  "known: " + join(build_systems::known_systems(), ", "));
    }
    const Result<build_systems::Built> built = driver->build(job, os_);
    if (!built) return tl::make_unexpected(explain(built.error(), work));

    HONE_TRY(const BuiltBinary value, keep(*built, work));
    HONE_CHECK(os_.files->remove_all(tree.path));
    HONE_TRY(const Path kept, store_.commit(kBuildKind, fingerprint, value));
    HONE_CHECK(store_.use(stage_, variant_, kept));
    say(format_duration(value.costs.wall_s) + ", " +
        format_bytes(static_cast<double>(value.costs.peak_rss_kib) * 1024) + " peak, " +
        format_bytes(static_cast<double>(value.costs.binary_bytes)));
    return load(kept);
  }

  Result<build_systems::Job> job_for(const Path& tree, const Path& work) {
    const RecipeWords words(recipe_, source_.path, tree.string());
    build_systems::Job job;
    job.source = source_.path;
    job.tree = tree;
    job.target = recipe_.build.target;
    job.binary = recipe_.build.binary;
    job.configure = words.fill(recipe_.build.configure);
    job.commands = words.fill(recipe_.build.commands);
    for (const auto& [name, value] : recipe_.build.env) job.env[name] = words.fill(value);
    // Programs that a build makes and runs at once leave profiles where nobody looks for them.
    job.env.emplace("LLVM_PROFILE_FILE", (tree / ".hone" / "stray-%m.profraw").string());
    const int cpus = static_cast<int>(system::allowed_cpus().size());
    job.jobs = recipe_.build.jobs > 0 ? recipe_.build.jobs : std::max(1, cpus);
    job.flags = flags_;
    // lld's ThinLTO takes every CPU for itself unless told; a job limit is meant for it too.
    if (recipe_.build.jobs > 0 && !flags_.compile.empty()) {
      job.flags.link.push_back("-Wl,--thinlto-jobs=" + std::to_string(recipe_.build.jobs));
    }
    job.tools = tools_;
    job.log = work / "build.log";
    return job;
  }

  // The likeliest reason for a first build to fail is a library that is not there.
  Error explain(Error error, const Path& work) {
    error = while_doing(std::move(error), "building " + variant_);
    if (error.kind != ErrorKind::kBuildFailed) return error;
    const std::vector<std::string> missing =
        missing_packages(recipe_.build.packages, work / "packages", os_);
    if (!missing.empty()) {
      error.next =
          "sudo apt-get install " + join(missing, " ") + " (the recipe says the build needs them)";
    }
    return error;
  }

  Result<BuiltBinary> keep(const build_systems::Built& built, const Path& work) {
    const std::string name = Path(recipe_.build.binary).filename().string();
    HONE_CHECK(os_.files->copy(built.binary, work / "bin" / name));
    BuiltBinary value;
    value.variant = variant_;
    value.path = "bin/" + name;
    value.log = "build.log";
    HONE_TRY(value.sha256, os_.files->sha256(work / "bin" / name));
    value.compile_flags = flags_.compile;
    value.link_flags = flags_.link;
    HONE_TRY(const BinarySize size,
             measure_binary(work / "bin" / name, work / "stripped", tools_, os_));
    value.costs = {built.wall_s, built.cpu_s, built.peak_rss_kib,
                   size.file,    size.text,   size.stripped};
    if (!profile_.empty()) {
      HONE_TRY(const std::string log, os_.files->read(work / "build.log"));
      value.profile_use = profile_use_in(log);
    }
    return value;
  }

  Result<BuiltBinary> load(const Path& place) {
    HONE_TRY(const Json json, store_.value(place));
    HONE_TRY(BuiltBinary value, value_from<BuiltBinary>(json, place.string()));
    const Path root = std::filesystem::absolute(place);
    value.path = (root / value.path).string();
    value.log = (root / value.log).string();
    return value;
  }

  const Recipe& recipe_;
  const FetchedSource& source_;
  const std::string variant_, profile_, stage_;
  const toolchain::Toolchain& tools_;
  Store& store_;
  system::System& os_;
  Observer& observer_;
  build_systems::Flags flags_;
};

}  // namespace

Result<BuiltBinary> build(const Recipe& recipe, const FetchedSource& source,
                          const std::string& variant, const std::string& profile,
                          const toolchain::Toolchain& tools, Store& store, system::System& os,
                          Observer& observer) {
  return VariantBuild(recipe, source, variant, profile, tools, store, os, observer).run();
}

}  // namespace hone::pipeline
