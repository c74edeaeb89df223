#include "base/error.h"

namespace hone {

const char* name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
      return "internal";
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kRecipe:
      return "recipe";
    case ErrorKind::kToolMissing:
      return "tool-missing";
    case ErrorKind::kToolchain:
      return "toolchain";
    case ErrorKind::kSource:
      return "source";
    case ErrorKind::kBuildFailed:
      return "build-failed";
    case ErrorKind::kPortTaken:
      return "port-taken";
    case ErrorKind::kNotReady:
      return "not-ready";
    case ErrorKind::kSubjectDied:
      return "subject-died";
    case ErrorKind::kLegFailed:
      return "leg-failed";
    case ErrorKind::kProfile:
      return "profile";
    case ErrorKind::kMachineUnfit:
      return "machine-unfit";
    case ErrorKind::kDiskFull:
      return "disk-full";
    case ErrorKind::kPermission:
      return "permission";
    case ErrorKind::kLocked:
      return "locked";
    case ErrorKind::kTimeout:
      return "timeout";
    case ErrorKind::kNotFound:
      return "not-found";
    case ErrorKind::kIo:
      return "io";
    case ErrorKind::kNetwork:
      return "network";
    case ErrorKind::kFarHost:
      return "far-host";
    case ErrorKind::kInterrupted:
      return "interrupted";
  }
  return "internal";
}

std::string describe(const Error& error) {
  std::string text = "error: " + error.what + "\n";
  if (!error.doing.empty()) text += "while: " + error.doing + "\n";
  if (!error.log_file.empty()) text += "log:   " + error.log_file + "\n";
  if (!error.next.empty()) text += "next:  " + error.next + "\n";
  return text;
}

}  // namespace hone
