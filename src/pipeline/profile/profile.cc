// Two merges: the raw files of a leg into the leg, then the legs, weighted, into one. Weights
// belong to a leg as a whole, and the profile of each leg alone answers what it covers; merging all
// raw files at once, each with its leg's weight, would give the same counts and no answers.
#include "pipeline/profile/profile.h"

#include <filesystem>
#include <set>
#include <string_view>

#include "base/sha256.h"
#include "base/text.h"
#include "base/units.h"
#include "pipeline/profdata/profdata.h"
#include "pipeline/profdata/raw_profile.h"

namespace hone::pipeline {
namespace {

const char kProfileKind[] = "profile";
const char kStage[] = "4-profile";
const char kLink[] = "merged";

// Raised when the merge or what is read from it changes.
constexpr int kProfileVersion = 1;

// As many as a reader takes in.
constexpr int kHottest = 10;

// llvm-profdata reads 100 MB a second here, and every pair is read: with ten legs of 2 MiB the
// matrix takes a few seconds.
constexpr std::uint64_t kOverlapLimitBytes = 2 << 20;

class Merge {
 public:
  Merge(const std::vector<Leg>& legs, const toolchain::Toolchain& tools, system::System& system,
        system::Path folder)
      : legs_(legs),
        system_(system),
        folder_(std::move(folder)),
        profdata_(tools, &system, folder_) {}

  // The profile's path is relative to the folder.
  Result<MergedProfile> run() {
    HONE_CHECK(system_.files->make_directories(folder_ / "legs"));
    for (const Leg& leg : legs_) {
      Status status = merge_leg(leg);
      if (!status) {
        return tl::make_unexpected(
            while_doing(std::move(status).error(), "merging leg " + leg.name));
      }
    }
    HONE_CHECK(merge_all());
    HONE_CHECK(describe_all());
    HONE_CHECK(compare_legs());
    HONE_CHECK(profdata_.tidy());
    return std::move(merged_);
  }

 private:
  system::Path leg_file(const std::string& leg) const {
    return folder_ / "legs" / (leg + ".profdata");
  }

  Status merge_leg(const Leg& leg) {
    std::vector<Profdata::Input> inputs;
    for (const std::string& file : leg.profiles) inputs.push_back({1, file});
    HONE_CHECK(profdata_.merge(inputs, leg_file(leg.name)));
    HONE_TRY(const ProfileSummary summary, profdata_.summary(leg_file(leg.name)));
    if (summary.total_count == 0) {
      return fail(ErrorKind::kProfile, "the profile of leg " + leg.name + " has no counts",
                  "remove " + leg.folder + " and train again");
    }
    HONE_TRY(auto covered, profdata_.covered(leg_file(leg.name)));
    merged_.legs.push_back({leg.name, leg.requests, 0, covered.size(), summary.total_count, 0});
    covered_.push_back(std::move(covered));
    return {};
  }

  Status merge_all() {
    const std::vector<std::uint64_t> weights = leg_weights(legs_);
    const std::vector<std::uint64_t> only = only_in_one(covered_);
    std::vector<Profdata::Input> inputs;
    for (std::size_t i = 0; i < legs_.size(); ++i) {
      merged_.legs[i].weight = weights[i];
      merged_.legs[i].only_here = only[i];
      inputs.push_back({weights[i], leg_file(legs_[i].name)});
    }
    const system::Path made = folder_ / "merged.profdata";
    HONE_CHECK(profdata_.merge(inputs, made));
    HONE_TRY(merged_.sha256, system_.files->sha256(made));
    // Its content in its name keeps every build cache right.
    merged_.path = merged_.sha256.substr(0, 16) + ".profdata";
    return system_.files->rename(made, folder_ / merged_.path);
  }

  Status describe_all() {
    const system::Path file = folder_ / merged_.path;
    HONE_TRY(const Profdata::Overview overview, profdata_.overview(file, kHottest));
    HONE_TRY(const CallSites calls, profdata_.call_sites(file));
    merged_.functions = overview.summary.functions;
    merged_.total_count = overview.summary.total_count;
    merged_.max_count = overview.summary.max_count;
    merged_.call_sites = calls.sites;
    merged_.call_sites_resolved = calls.resolved;
    // Weights are 1 or more, so what a leg covers the whole covers.
    std::set<std::string_view> covered;
    for (const auto& list : covered_) covered.insert(list.begin(), list.end());
    merged_.functions_covered = covered.size();
    for (const auto& [name, count] : overview.hottest) {
      merged_.hottest.emplace_back(readable_function(name), count);
    }
    return {};
  }

  Status compare_legs() {
    const std::size_t count = legs_.size();
    for (const Leg& leg : legs_) {
      HONE_TRY(const std::uint64_t bytes, system_.files->size(leg_file(leg.name)));
      if (bytes > kOverlapLimitBytes) return {};
    }
    std::vector<std::vector<double>> matrix(count, std::vector<double>(count, 1.0));
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        HONE_TRY(matrix[a][b], profdata_.overlap(leg_file(legs_[a].name), leg_file(legs_[b].name)));
        matrix[b][a] = matrix[a][b];
      }
    }
    merged_.overlap = std::move(matrix);
    return {};
  }

  const std::vector<Leg>& legs_;
  system::System& system_;
  system::Path folder_;
  Profdata profdata_;
  MergedProfile merged_;
  std::vector<std::vector<std::string>> covered_;
};

// Named before llvm-profdata sees it: it takes an empty file for a profile without functions.
Result<std::string> check_leg(const Leg& leg, const system::Files& files) {
  const auto again = "remove " + leg.folder + " and train again";
  if (leg.profiles.empty() || leg.requests == 0 || leg.share <= 0) {
    return fail(ErrorKind::kProfile, "leg " + leg.name + " has no profiles or no requests", again);
  }
  Sha256 hash;
  std::string first;
  std::uint64_t version = 0;
  for (const std::string& file : leg.profiles) {
    HONE_TRY(const std::string bytes, files.read(file));
    const auto profile = read_raw_profile(bytes, file);
    if (!profile) {
      return fail(ErrorKind::kProfile, "leg " + leg.name + ": " + profile.error().what, again);
    }
    if (!first.empty() && profile->version != version) {
      return fail(ErrorKind::kProfile,
                  "leg " + leg.name + " has profiles of two compilers: " + first +
                      " is of format " + std::to_string(version) + ", " + file + " of " +
                      std::to_string(profile->version),
                  "build every instrumented module with one toolchain");
    }
    first = file;
    version = profile->version;
    hash.add(std::to_string(bytes.size()) + ":");
    hash.add(bytes);
  }
  return hash.hex();
}

void say(const MergedProfile& merged, Observer& observer) {
  observer.line("profile: " + std::string(merged.reused ? "reused, " : "") +
                format_count(merged.functions_covered) + " of " + format_count(merged.functions) +
                " functions covered by " + std::to_string(merged.legs.size()) + " legs, " +
                system::Path(merged.path).filename().string());
}

// Nothing when the value does not read or its file is gone: it is made again.
std::optional<MergedProfile> stored(const Store& store, const system::Path& folder,
                                    const system::Files& files) {
  const auto json = store.value(folder);
  if (!json) return std::nullopt;
  auto merged = value_from<MergedProfile>(*json, "a stored profile");
  if (!merged || merged->path.empty() || !files.exists(folder / merged->path)) return std::nullopt;
  return *std::move(merged);
}

}  // namespace

Result<MergedProfile> merge_profiles(const std::vector<Leg>& legs,
                                     const toolchain::Toolchain& tools, Store& store,
                                     system::System& system, Observer& observer) {
  if (legs.empty()) return fail(ErrorKind::kProfile, "there is no leg to merge", "train first");
  Fingerprint print;
  print.add("profile version", Json(kProfileVersion));
  print.add("llvm-profdata", tools.version);
  for (const Leg& leg : legs) {
    HONE_TRY(const std::string content, check_leg(leg, *system.files));
    print.add("leg " + leg.name,
              Json{{"requests", leg.requests}, {"share", leg.share}, {"counts", content}});
  }
  std::optional<MergedProfile> merged;
  if (const auto found = store.find(kProfileKind, print)) {
    merged = stored(store, *found, *system.files);
    if (merged) merged->reused = true;
  }
  if (!merged) {
    const auto changes = store.changes(kStage, kLink, print);
    if (!changes.empty()) observer.line("profile: again, since " + join(changes, "; "));
    HONE_TRY(system::Path part, store.begin(kProfileKind, print));
    HONE_CHECK(system.files->remove_all(part));
    HONE_TRY(part, store.begin(kProfileKind, print));
    HONE_TRY(merged, Merge(legs, tools, system, part).run());
    HONE_CHECK(store.commit(kProfileKind, print, Json(*merged)));
  }
  const system::Path place = store.folder(kProfileKind, print);
  HONE_TRY(const auto said, store.use(kStage, kLink, place));
  (void)said;  // before the work
  merged->path = (std::filesystem::absolute(place) / merged->path).string();
  say(*merged, observer);
  return *std::move(merged);
}

}  // namespace hone::pipeline
