#include "system/tracepoints.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "system/descriptor.h"
#include "system/proc.h"

namespace hone::system {
namespace {

// Where distributions mount it; the second place since before tracefs was apart from debugfs.
constexpr const char* kPlaces[] = {"/sys/kernel/tracing/", "/sys/kernel/debug/tracing/"};

std::optional<std::uint64_t> parse_number(const std::string& text) {
  const auto number = parse_integer(trim(text));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// A tree of tracefs that is attached nowhere. errno tells why there is none.
Descriptor detached_tracefs() {
  const Descriptor context(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!context.open()) return Descriptor();
  if (::fsconfig(context.fd(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return Descriptor();
  return Descriptor(::fsmount(context.fd(), FSMOUNT_CLOEXEC, 0));
}

}  // namespace

Result<std::uint64_t> tracepoint_number(const std::string& name) {
  const std::string file = "events/" + name + "/id";
  for (const char* place : kPlaces) {
    const auto text = read_proc(place + file);
    if (const auto number = text ? parse_number(*text) : std::nullopt) return *number;
  }
  const Descriptor tracefs = detached_tracefs();
  if (!tracefs.open() && (errno == EPERM || errno == EACCES)) {
    return fail(ErrorKind::kPermission, "not available here: tracepoints are shown to root only",
                "run as root");
  }
  const Descriptor id(::openat(tracefs.fd(), file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 24> digits{};
  const ssize_t size = !id.open() ? -1 : ::read(id.fd(), digits.data(), digits.size());
  const auto number =
      size > 0 ? parse_number(std::string(digits.data(), std::size_t(size))) : std::nullopt;
  if (number) return *number;
  return fail(ErrorKind::kNotFound, "not available here: the kernel has no tracepoint " + name);
}

}  // namespace hone::system
