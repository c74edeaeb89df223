#include "system/os_error.h"

#include <pwd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/units.h"

namespace hone::system {
namespace {

// " (12.0 KiB free)" of the file system that holds `path` or would hold it.
std::string free_space(Path path) {
  struct statvfs fs{};
  while (::statvfs(path.empty() ? "." : path.c_str(), &fs) != 0) {
    if (path.empty() || path == path.parent_path()) return "";
    path = path.parent_path();
  }
  const auto free = static_cast<double>(fs.f_bavail) * static_cast<double>(fs.f_frsize);
  return " (" + format_bytes(free) + " free)";
}

}  // namespace

std::string os_message(int error_number) { return std::generic_category().message(error_number); }

std::string user_name() {
  // glibc's own entries fit in 1 KiB; a directory service may need more and then gives the number.
  std::array<char, 16384> buffer{};
  struct passwd entry{};
  struct passwd* found = nullptr;
  ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->pw_name : "user " + std::to_string(::geteuid());
}

tl::unexpected<Error> os_fail(int error_number, const std::string& action, const Path& path) {
  std::string what = "cannot " + action + " " + path.string() + ": " + os_message(error_number);
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return fail(ErrorKind::kDiskFull, what + free_space(path),
                  "free some space there, or let hone write to another disk");
    case EACCES:
    case EPERM:
      return fail(ErrorKind::kPermission, what + " for " + user_name(),
                  "give " + user_name() + " the right to it, or choose another place");
    case EROFS:
      return fail(ErrorKind::kPermission, what + " for " + user_name(),
                  "choose a place that is not mounted read-only");
    case ENOENT:
    case ENOTDIR:
      return fail(ErrorKind::kNotFound, std::move(what), "check the path");
    case EMFILE:
    case ENFILE:
      return fail(ErrorKind::kIo, std::move(what), "raise the limit of open files: ulimit -n");
    default:
      return fail(ErrorKind::kIo, std::move(what));
  }
}

}  // namespace hone::system
