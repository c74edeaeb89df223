// The real file system. What must survive `kill -9` is written under a temporary name in the same
// folder and renamed; the temporary names share a prefix, and listings leave them out, so what a
// killed hone left behind is never taken for a part of a folder.
#include "system/files.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/sha256.h"
#include "base/text.h"
#include "system/descriptor.h"
#include "system/os_error.h"
#include "system/real.h"

namespace hone::system {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".hone-tmp-";
// Large enough that the cost of the calls vanishes, small enough for any cache.
constexpr std::size_t kPiece = std::size_t{256} * 1024;
constexpr int kFolderMode = 0755;  // Files::make_directories()'s default

Path parent_of(const Path& path) {
  const Path parent = path.parent_path();
  return parent.empty() ? Path(".") : parent;
}

Path temporary_beside(const Path& path) {
  static std::atomic<unsigned> counter{0};  // two threads of one process need two names
  return parent_of(path) / (std::string(kTemporaryPrefix) + std::to_string(::getpid()) + "-" +
                            std::to_string(counter++));
}

bool is_temporary(const Path& path) {
  return path.filename().native().starts_with(kTemporaryPrefix);
}

tl::unexpected<Error> fail_of(const std::error_code& error, const std::string& action,
                              const Path& path) {
  return os_fail(error.value(), action, path);
}

Status write_all(int fd, std::string_view bytes, const Path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return os_fail(errno, "write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Calls `use` with every piece of the file.
template <typename Use>
Status read_pieces(int fd, const Path& path, Use use) {
  std::vector<char> piece(kPiece);
  while (true) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_fail(errno, "read", path);
    if (got == 0) return {};
    HONE_CHECK(use(std::string_view(piece.data(), static_cast<std::size_t>(got))));
  }
}

Result<Descriptor> open_to_read(const Path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return os_fail(errno, "read", path);
  return file;
}

// A file under a temporary name; gone again unless put() gave it its own.
class NewFile {
 public:
  explicit NewFile(const Path& path) : path_(path), temporary_(temporary_beside(path)) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  Status open(mode_t mode) {
    file_ = Descriptor(
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file_.open()) return os_fail(errno, "write", path_);
    return {};
  }
  Status write(std::string_view bytes) { return write_all(file_.fd(), bytes, path_); }
  int fd() const { return file_.fd(); }

  Status put() {
    // fsync before rename: after a power cut the name holds the whole text or the old one. It also
    // keeps the kernel from writing it back later, in the middle of a measurement.
    if (::fsync(file_.fd()) != 0) return os_fail(errno, "write", path_);
    file_.close();
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return os_fail(errno, "write", path_);
    temporary_.clear();
    return {};
  }

 private:
  Path path_;
  Path temporary_;
  Descriptor file_;
};

class FlockLock : public Lock {
 public:
  explicit FlockLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;  // closing it lets go of the lock
};

struct UserId {
  uid_t uid = 0;
  gid_t gid = 0;
};

Result<UserId> find_user(const std::string& user) {
  std::array<char, 16384> buffer{};  // as in os_error.cc: far above what an entry needs
  struct passwd entry{};
  struct passwd* found = nullptr;
  ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr)
    return fail(ErrorKind::kUsage, "there is no user " + user + " on this machine");
  return UserId{found->pw_uid, found->pw_gid};
}

class RealFiles : public Files {
 public:
  Result<std::string> read(const Path& path) const override {
    HONE_TRY(const Descriptor file, open_to_read(path));
    std::string content;
    HONE_CHECK(read_pieces(file.fd(), path, [&content](std::string_view piece) -> Status {
      content += piece;
      return {};
    }));
    return content;
  }

  Status write(const Path& path, std::string_view content) override {
    HONE_CHECK(make_directories(parent_of(path), kFolderMode));
    NewFile file(path);
    HONE_CHECK(file.open(0644));
    HONE_CHECK(file.write(content));
    return file.put();
  }

  bool exists(const Path& path) const override {
    std::error_code ignored;
    return fs::exists(path, ignored);
  }

  bool is_directory(const Path& path) const override {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
  }

  Result<std::uint64_t> size(const Path& path) const override {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error) return fail_of(error, "read the size of", path);
    return bytes;
  }

  Result<std::vector<Path>> list(const Path& directory) const override {
    std::vector<Path> paths;
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    while (!error && entry != fs::directory_iterator()) {
      if (!is_temporary(entry->path())) paths.push_back(entry->path());
      entry.increment(error);
    }
    if (error) return fail_of(error, "list", directory);
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  Result<std::vector<Path>> list_tree(const Path& directory) const override {
    std::vector<Path> paths;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, error);
    while (!error && entry != fs::recursive_directory_iterator()) {
      std::error_code gone;  // a file that went away while being listed
      if (entry->is_regular_file(gone) && !is_temporary(entry->path()))
        paths.push_back(entry->path());
      entry.increment(error);
    }
    if (error) return fail_of(error, "list", directory);
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  Status make_directories(const Path& path, int mode) override {
    std::error_code error;
    const bool made = fs::create_directories(path, error);
    if (error) return fail_of(error, "make the folder", path);
    // The mode is set and not left to the umask: a server that drops its rights must be able to
    // write into a folder of mode 1777. A folder that was there keeps its mode unless one is asked.
    if (!made && mode == kFolderMode) return {};
    return set_mode(path, mode);
  }

  Status remove_all(const Path& path) override {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return fail_of(error, "remove", path);
    return {};
  }

  // Plain reads and writes, not copy_file_range: on btrfs and XFS that shares the blocks, and the
  // copy is wanted for its own pages and its own place.
  Status copy(const Path& from, const Path& to) override {
    HONE_TRY(const Descriptor source, open_to_read(from));
    struct stat status{};
    if (::fstat(source.fd(), &status) != 0) return os_fail(errno, "read", from);
    HONE_CHECK(make_directories(parent_of(to), kFolderMode));
    NewFile file(to);
    HONE_CHECK(file.open(0600));
    HONE_CHECK(read_pieces(source.fd(), from,
                           [&file](std::string_view piece) { return file.write(piece); }));
    if (::fchmod(file.fd(), status.st_mode & 07777) != 0) return os_fail(errno, "write", to);
    return file.put();
  }

  Status rename(const Path& from, const Path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0)
      return os_fail(errno, "rename " + from.string() + " to", to);
    return {};
  }

  Status link(const Path& target, const Path& link) override {
    HONE_CHECK(make_directories(parent_of(link), kFolderMode));
    const Path temporary = temporary_beside(link);
    if (::symlink(target.c_str(), temporary.c_str()) != 0) return os_fail(errno, "link", link);
    if (::rename(temporary.c_str(), link.c_str()) != 0) {
      const int error = errno;
      ::unlink(temporary.c_str());
      return os_fail(error, "link", link);
    }
    return {};
  }

  Status set_mode(const Path& path, int mode) override {
    if (::chmod(path.c_str(), static_cast<mode_t>(mode)) != 0)
      return os_fail(errno, "set the mode of", path);
    return {};
  }

  Status set_owner(const Path& path, const std::string& user) override {
    HONE_TRY(const UserId id, find_user(user));
    if (::lchown(path.c_str(), id.uid, id.gid) != 0)
      return os_fail(errno, "give " + user + " the folder", path);
    if (!is_directory(path)) return {};
    std::error_code error;
    fs::recursive_directory_iterator entry(path, error);
    while (!error && entry != fs::recursive_directory_iterator()) {
      if (::lchown(entry->path().c_str(), id.uid, id.gid) != 0)
        return os_fail(errno, "give " + user + " the file", entry->path());
      entry.increment(error);
    }
    if (error) return fail_of(error, "list", path);
    return {};
  }

  Result<std::string> sha256(const Path& path) const override {
    HONE_TRY(const Descriptor file, open_to_read(path));
    Sha256 hash;
    HONE_CHECK(read_pieces(file.fd(), path, [&hash](std::string_view piece) -> Status {
      hash.add(piece);
      return {};
    }));
    return hash.hex();
  }

  Result<std::uint64_t> free_bytes(const Path& path) const override {
    struct statvfs space{};
    if (::statvfs(path.c_str(), &space) != 0) return os_fail(errno, "read the free space of", path);
    return std::uint64_t{space.f_bavail} * space.f_frsize;
  }

  // The file stays when the lock is let go: removing it would let two processes hold locks on two
  // files of the same name.
  Result<std::unique_ptr<Lock>> lock(const Path& path) override {
    HONE_CHECK(make_directories(parent_of(path), kFolderMode));
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.open()) return os_fail(errno, "lock", path);
    if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return os_fail(errno, "lock", path);
      const std::string holder = trim(read(path).value_or(""));
      return fail(
          ErrorKind::kLocked,
          "another hone" + (holder.empty() ? "" : " (pid " + holder + ")") + " works in " +
              parent_of(path).string(),
          "wait for it to end, or stop it" + (holder.empty() ? "" : " with: kill " + holder));
    }
    if (::ftruncate(file.fd(), 0) != 0) return os_fail(errno, "lock", path);
    HONE_CHECK(write_all(file.fd(), std::to_string(::getpid()) + "\n", path));
    return std::make_unique<FlockLock>(std::move(file));
  }
};

}  // namespace

std::unique_ptr<Files> real_files() { return std::make_unique<RealFiles>(); }

}  // namespace hone::system
