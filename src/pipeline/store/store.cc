// A value is in the store when its folder has its final name, and a folder gets that name by one
// rename after everything in it is written. Cut anywhere before, only <hash>.part is there, which
// nothing reads as a value. Rejected: a marker file inside the folder (two steps, and a reader must
// know which came first), and a database (the user can look into folders, and delete them).
#include "pipeline/store/store.h"

#include "base/sha256.h"
#include "base/text.h"
#include "pipeline/store/field_changes.h"

namespace hone::pipeline {
namespace {

// 64 bits: among a million stored values two share a name with odds of 1 in 40 million, and find()
// compares the fields themselves besides.
constexpr std::size_t kNameDigits = 16;

const char kValueFile[] = "value.json";
const char kFingerprintFile[] = "fingerprint.json";
const char kValuesFolder[] = "store";
const char kLockFile[] = "lock";
// What a run and a comparison write first.
const char* const kFirstStages[] = {"1-recipe", "6-prove"};

std::optional<Fields> read_fields(const system::Path& folder, const system::Files& files) {
  const auto text = files.read(folder / kFingerprintFile);
  if (!text) return std::nullopt;
  auto fields = parse_as<Fields>(*text, kFingerprintFile);
  if (!fields) return std::nullopt;
  return *std::move(fields);
}

}  // namespace

void Fingerprint::add(const std::string& field, const std::string& value) {
  fields_.emplace_back(field, value);
}

void Fingerprint::add(const std::string& field, const Json& value) {
  add(field, value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string Fingerprint::hash() const {
  Sha256 hash;
  // Lengths in front: ("ab", "c") and ("a", "bc") must not be the same.
  for (const auto& [field, value] : fields_) {
    hash.add(std::to_string(field.size()) + ":" + field + std::to_string(value.size()) + ":" +
             value);
  }
  return hash.hex().substr(0, kNameDigits);
}

bool is_run_name(std::string_view name) {
  return is_plain_name(name) && name != kValuesFolder && name != kLockFile && name != "tree";
}

Store::Store(system::Path root, std::string run, system::Files* files)
    : root_(std::move(root)), run_(std::move(run)), files_(files) {}

bool Store::is_root(const system::Path& root, const system::Files& files) {
  const auto holder = files.read(root / kLockFile);
  if (!holder || !parse_integer(trim(*holder))) return false;
  if (files.is_directory(root / kValuesFolder)) return true;
  const auto entries = files.list(root);
  if (!entries) return false;
  for (const system::Path& entry : *entries) {
    for (const char* stage : kFirstStages) {
      if (files.is_directory(entry / stage)) return true;
    }
  }
  return false;
}

system::Path Store::run_dir() const { return root_ / run_; }

system::Path Store::stage_dir(const std::string& stage) const {
  const system::Path dir = run_dir() / stage;
  // Should this fail, the first write into it says why, with the path.
  (void)files_->make_directories(dir);
  return dir;
}

system::Path Store::folder(const std::string& kind, const Fingerprint& fingerprint) const {
  return root_ / kValuesFolder / kind / fingerprint.hash();
}

std::optional<system::Path> Store::find(const std::string& kind,
                                        const Fingerprint& fingerprint) const {
  system::Path place = folder(kind, fingerprint);
  const auto fields = read_fields(place, *files_);
  if (!fields || *fields != fingerprint.fields() || !value(place)) return std::nullopt;
  return place;
}

Result<system::Path> Store::begin(const std::string& kind, const Fingerprint& fingerprint) {
  system::Path part = folder(kind, fingerprint);
  part += ".part";
  HONE_CHECK(files_->make_directories(part));
  return part;
}

Result<system::Path> Store::commit(const std::string& kind, const Fingerprint& fingerprint,
                                   const Json& value) {
  system::Path place = folder(kind, fingerprint);
  HONE_TRY(const system::Path part, begin(kind, fingerprint));
  HONE_CHECK(files_->write(part / kValueFile, dump(value)));
  HONE_CHECK(files_->write(part / kFingerprintFile, dump(Json(fingerprint.fields()))));
  // Something find() did not accept may have the name: a folder that was tampered with.
  HONE_CHECK(files_->remove_all(place));
  HONE_CHECK(files_->rename(part, place));
  return place;
}

Result<Json> Store::value(const system::Path& place) const {
  HONE_TRY(const std::string text, files_->read(place / kValueFile));
  return parse_json(text, (place / kValueFile).string());
}

Result<system::Path> Store::open(const std::string& kind, const Fingerprint& fingerprint) {
  system::Path place = folder(kind, fingerprint);
  if (read_fields(place, *files_) == fingerprint.fields()) return place;
  HONE_CHECK(files_->make_directories(place));
  HONE_CHECK(files_->write(place / kFingerprintFile, dump(Json(fingerprint.fields()))));
  return place;
}

Result<std::vector<std::string>> Store::use(const std::string& stage, const std::string& name,
                                            const system::Path& place) {
  const system::Path link = stage_dir(stage) / name;
  const auto before = read_fields(link, *files_);
  const auto now = read_fields(place, *files_);
  std::vector<std::string> lines;
  if (before && now) lines = field_changes(*before, *now);
  // Relative, so that .hone can be moved or looked at from a container.
  HONE_CHECK(files_->link(place.lexically_relative(link.parent_path()), link));
  return lines;
}

std::vector<std::string> Store::changes(const std::string& stage, const std::string& name,
                                        const Fingerprint& fingerprint) const {
  const auto before = read_fields(run_dir() / stage / name, *files_);
  if (!before) return {};
  return field_changes(*before, fingerprint.fields());
}

Result<std::unique_ptr<system::Lock>> Store::lock() {
  HONE_CHECK(files_->make_directories(root_));
  return files_->lock(root_ / kLockFile);
}

}  // namespace hone::pipeline
