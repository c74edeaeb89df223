// Files and folders, through an interface so that full disks and missing rights can be tested.
// Every error names the path, the reason and, for a full disk or a missing right, its own kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::system {

using Path = std::filesystem::path;

// Held until destroyed; the kernel lets go of it when the process dies.
class Lock {
 public:
  virtual ~Lock() = default;
};

class Files {
 public:
  virtual ~Files() = default;

  virtual Result<std::string> read(const Path&) const = 0;
  // Temporary name in the same folder, fsync, then rename: whole or not at all, kill -9 included.
  // Makes missing parent folders.
  virtual Status write(const Path&, std::string_view content) = 0;
  virtual bool exists(const Path&) const = 0;  // follows links
  virtual bool is_directory(const Path&) const = 0;
  virtual Result<std::uint64_t> size(const Path&) const = 0;
  virtual Result<std::vector<Path>> list(const Path& directory) const = 0;  // full paths, sorted
  virtual Result<std::vector<Path>> list_tree(const Path& directory) const = 0;  // files only
  virtual Status make_directories(const Path&, int mode = 0755) = 0;  // mode of the last one
  virtual Status remove_all(const Path&) = 0;                 // no error when it is not there
  virtual Status copy(const Path& from, const Path& to) = 0;  // a fresh inode; keeps the mode
  virtual Status rename(const Path& from, const Path& to) = 0;
  virtual Status link(const Path& target, const Path& link) = 0;  // symbolic; replaces atomically
  virtual Status set_mode(const Path&, int mode) = 0;
  virtual Status set_owner(const Path&, const std::string& user) = 0;  // tree; root only
  virtual Result<std::string> sha256(const Path&) const = 0;
  virtual Result<std::uint64_t> free_bytes(const Path&) const = 0;
  // Refuses with ErrorKind::kLocked, naming the holder's pid, when another process holds it.
  virtual Result<std::unique_ptr<Lock>> lock(const Path&) = 0;
};

}  // namespace hone::system
