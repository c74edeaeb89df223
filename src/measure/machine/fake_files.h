// Kernel files for the tests of this folder: whatever a test puts in is there, nothing else is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "system/files.h"

namespace hone::measure {

class FakeFiles : public system::Files {
 public:
  // Several contents are given out one after the other, the last for ever.
  void put(const std::string& path, std::vector<std::string> contents) { files_[path] = contents; }
  void put(const std::string& path, const std::string& content) { files_[path] = {content}; }
  void remove(const std::string& path) { files_.erase(path); }

  Result<std::string> read(const system::Path& path) const override {
    const auto found = files_.find(path.string());
    if (found == files_.end()) return fail(ErrorKind::kNotFound, path.string() + " is not there");
    std::string content = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    return content;
  }
  bool exists(const system::Path& path) const override {
    return files_.count(path.string()) > 0 || is_directory(path);
  }
  bool is_directory(const system::Path& path) const override {
    const std::string prefix = path.string() + "/";
    const auto after = files_.lower_bound(prefix);
    return after != files_.end() && after->first.rfind(prefix, 0) == 0;
  }
  Result<std::vector<system::Path>> list(const system::Path& directory) const override {
    if (!is_directory(directory)) return not_here<std::vector<system::Path>>();
    std::set<system::Path> entries;
    const std::string prefix = directory.string() + "/";
    for (const auto& [path, contents] : files_) {
      if (path.rfind(prefix, 0) != 0) continue;
      entries.insert(directory /
                     path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
    }
    return std::vector<system::Path>(entries.begin(), entries.end());
  }

  // The checks only read.
  Status write(const system::Path&, std::string_view) override { return not_here<void>(); }
  Result<std::uint64_t> size(const system::Path&) const override {
    return not_here<std::uint64_t>();
  }
  Result<std::vector<system::Path>> list_tree(const system::Path&) const override {
    return not_here<std::vector<system::Path>>();
  }
  Status make_directories(const system::Path&, int) override { return not_here<void>(); }
  Status remove_all(const system::Path&) override { return not_here<void>(); }
  Status copy(const system::Path&, const system::Path&) override { return not_here<void>(); }
  Status rename(const system::Path&, const system::Path&) override { return not_here<void>(); }
  Status link(const system::Path&, const system::Path&) override { return not_here<void>(); }
  Status set_mode(const system::Path&, int) override { return not_here<void>(); }
  Status set_owner(const system::Path&, const std::string&) override { return not_here<void>(); }
  Result<std::string> sha256(const system::Path&) const override { return not_here<std::string>(); }
  Result<std::uint64_t> free_bytes(const system::Path&) const override {
    return not_here<std::uint64_t>();
  }
  Result<std::unique_ptr<system::Lock>> lock(const system::Path&) override {
    return not_here<std::unique_ptr<system::Lock>>();
  }

 private:
  template <typename T>
  static Result<T> not_here() {
    return fail(ErrorKind::kNotFound, "not among the fake files");
  }
  mutable std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace hone::measure
