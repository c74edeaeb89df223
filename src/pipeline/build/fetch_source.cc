// A folder is identified by the hash of its files. A source package is fetched once and then kept:
// which version "the newest" is gets decided at the first run, and later runs need no network and
// build the same thing, since a source that moved by itself between two runs would have both of
// them compare unlike binaries. Whoever wants the newer one removes the kept one (`hone clean`), or
// asks for a version by name ("nghttp2=1.52.0-1").

#include <filesystem>

#include "build_systems/source_files.h"
#include "pipeline/build/apt_source.h"
#include "pipeline/build/build.h"

namespace hone::pipeline {
namespace {

constexpr char kStage[] = "2-build";
constexpr char kSourceKind[] = "source";

Result<FetchedSource> folder_source(const Source& source, system::System& os, Observer& observer) {
  if (!os.files->is_directory(source.path)) {
    return fail(ErrorKind::kSource, "no source folder " + source.path,
                "set source.path to the folder that is to be built");
  }
  HONE_TRY(const std::string hash, build_systems::source_hash(source.path, os));
  // Twelve digits name it for people; the identity holds them all.
  const std::string text = source.path + " (tree " + hash.substr(0, 12) + ")";
  observer.line("source: " + text);
  return FetchedSource{source.path, "tree sha256:" + hash, text};
}

Result<FetchedSource> package_source(const Source& source, Store& store, system::System& os,
                                     Observer& observer) {
  Fingerprint fingerprint;
  fingerprint.add("source.apt", source.apt);
  std::optional<system::Path> place = store.find(kSourceKind, fingerprint);
  const bool kept = place.has_value();
  if (!kept) {
    HONE_TRY(const system::Path work, store.begin(kSourceKind, fingerprint));
    const std::string package = source.apt.substr(0, source.apt.find('='));
    HONE_TRY(const AptSource fetched, fetch_apt_source(source.apt, work, os, observer));
    const FetchedSource value{fetched.tree,
                              package + " " + fetched.version + " dsc sha256:" + fetched.dsc_sha256,
                              package + " " + fetched.version + " (Debian source package)"};
    HONE_TRY(place, store.commit(kSourceKind, fingerprint, value));
  }
  HONE_TRY(const Json json, store.value(*place));
  HONE_TRY(FetchedSource value, value_from<FetchedSource>(json, place->string()));
  value.path = (std::filesystem::absolute(*place) / value.path).string();
  if (!os.files->is_directory(value.path)) {
    return fail(ErrorKind::kSource, "the kept source has no folder " + value.path + " any more",
                "remove " + place->string() + "; hone fetches it again");
  }
  HONE_CHECK(store.use(kStage, kSourceKind, *place));
  observer.line("source: " + value.text + (kept ? ", reused" : ", fetched"));
  return value;
}

}  // namespace

Result<FetchedSource> fetch_source(const Recipe& recipe, Store& store, system::System& os,
                                   Observer& observer) {
  Result<FetchedSource> fetched = recipe.source.apt.empty()
                                      ? folder_source(recipe.source, os, observer)
                                      : package_source(recipe.source, store, os, observer);
  if (!fetched) return tl::make_unexpected(while_doing(fetched.error(), "fetching the source"));
  return fetched;
}

}  // namespace hone::pipeline
