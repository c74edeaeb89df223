// .hone/<subject>/store/<kind>/<fingerprint>: builds, legs, profiles and rounds, each whole or not
// there. A fingerprint is a list of named fields kept beside the value, so that hone can say which
// field changed when something must be done again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "system/files.h"

namespace hone::pipeline {

class Fingerprint {
 public:
  void add(const std::string& field, const std::string& value);
  void add(const std::string& field, const char* value) { add(field, std::string(value)); }
  void add(const std::string& field, const Json& value);
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }
  std::string hash() const;  // 16 hexadecimal digits of the SHA-256 of all fields

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// May a run have this name? A plain one, and none that is taken beside the runs: the store's own
// and `tree`, where the builds happen.
bool is_run_name(std::string_view name);

class Store {
 public:
  // `root`: .hone/<subject>. `run`: the run's name. The files object outlives the store.
  Store(system::Path root, std::string run, system::Files* files);

  // Does `root` carry the marks of a store: its lock with a process in it, and beside it the values
  // or a run? Asked before anything is removed.
  static bool is_root(const system::Path& root, const system::Files&);

  const system::Path& root() const { return root_; }
  system::Path run_dir() const;                            // .hone/<subject>/<run>
  system::Path stage_dir(const std::string& stage) const;  // run_dir()/"3-train", made on demand
  // Where a value will be once committed: for paths inside the value itself.
  system::Path folder(const std::string& kind, const Fingerprint&) const;

  // The folder of a finished value, or nothing.
  std::optional<system::Path> find(const std::string& kind, const Fingerprint&) const;
  // A folder to work in, kept between attempts (so a cut build resumes in it): .../<hash>.part.
  Result<system::Path> begin(const std::string& kind, const Fingerprint&);
  // Writes value.json and fingerprint.json into it and renames it into place.
  Result<system::Path> commit(const std::string& kind, const Fingerprint&, const Json& value);
  Result<Json> value(const system::Path& folder) const;
  // A folder that only grows and is whole at every moment (rounds, one file each): made, with its
  // fingerprint, when it is not there. No commit.
  Result<system::Path> open(const std::string& kind, const Fingerprint&);

  // Links `folder` into the run as <stage>/<name> and says, against what that link last pointed to,
  // which fields changed ("build.configure: ["-a"] -> ["-b"]"); empty when nothing or first time.
  Result<std::vector<std::string>> use(const std::string& stage, const std::string& name,
                                       const system::Path& folder);
  // The same question before the work is done: which fields differ from what the run last used.
  std::vector<std::string> changes(const std::string& stage, const std::string& name,
                                   const Fingerprint&) const;

  // One hone writes here at a time: kLocked names the other's pid. Held while the value lives.
  Result<std::unique_ptr<system::Lock>> lock();

 private:
  system::Path root_;
  std::string run_;
  system::Files* files_;
};

}  // namespace hone::pipeline
