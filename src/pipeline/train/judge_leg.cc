// A leg fails on the first wrong answer, not beyond some share of them: a profile of error paths is
// worth nothing, and a server that fails one request in ten thousand under a closed loop has a
// reason that its user wants to know before the numbers. Unfinished requests are no fault: the load
// ended.
#include "pipeline/train/judge_leg.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "flush/flush.h"

namespace hone::pipeline {
namespace {

// Of a status that is not 2xx or 3xx, the most frequent, as "503"; "" when there is none.
std::string frequent_bad_status(const traffic::load::SliceResult& result) {
  std::string status;
  std::uint64_t most = 0;
  for (const auto& [code, count] : result.status) {
    if (code.starts_with("2") || code.starts_with("3") || count <= most) continue;
    most = count;
    status = code;
  }
  return status;
}

bool has_profile(const ProfileFolder& folder, pid_t pid, bool start_up_counts) {
  return std::any_of(folder.files.begin(), folder.files.end(), [&](const ProfileFile& file) {
    return file.pid == pid && (start_up_counts || !file.start_up);
  });
}

tl::unexpected<Error> no_profile(pid_t pid, const std::string& when) {
  return fail(ErrorKind::kLegFailed,
              "process " + std::to_string(pid) + " of the subject left no profile " + when +
                  ": it crashed, or something killed it",
              "look for the reason in the subject's log; SIGKILL cannot be outlived");
}

}  // namespace

Status judge_answers(const traffic::load::SliceResult& result) {
  std::vector<std::string> faults;
  const auto note = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) faults.push_back(format_count(count) + " " + what);
  };
  const std::string status = frequent_bad_status(result);
  note(result.bad_status,
       "with a bad status" + (status.empty() ? "" : " (most often " + status + ")"));
  note(result.reset, "reset");
  note(result.timeout, "timed out");
  note(result.expired, "expired in the queue");
  note(result.connection_error, "lost with their connection");
  if (!faults.empty()) {
    return fail(ErrorKind::kLegFailed,
                "of " + format_count(result.sent + result.expired) +
                    " requests, not answered as expected: " + join(faults, ", "),
                "ask for the shape's path by hand; the subject's log may say more");
  }
  if (result.ok == 0) {
    return fail(ErrorKind::kLegFailed,
                "not one of " + format_count(result.sent) + " requests was answered",
                "raise [train] leg when the instrumented subject is that slow");
  }
  return {};
}

ProfileFile parse_profile_name(const std::string& name) {
  ProfileFile file;
  file.name = name;
  std::string rest = name;
  if (rest.starts_with(HONE_FLUSH_STARTUP_PREFIX)) {
    file.start_up = true;
    rest.erase(0, sizeof(HONE_FLUSH_STARTUP_PREFIX) - 1);
  } else if (rest.starts_with("exit-")) {
    rest.erase(0, sizeof("exit-") - 1);
  }
  const auto pid = parse_integer(rest.substr(0, rest.find_first_of(".-")));
  if (pid && *pid > 0) file.pid = static_cast<pid_t>(*pid);
  return file;
}

bool is_harmless_refusal(const std::string& line, const std::string& program) {
  const std::size_t reason = line.find(": no loaded module can be served");
  if (reason == std::string::npos) return false;
  // By name alone: the process sees its program's path with links resolved.
  const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  return base(line.substr(0, reason)) != base(program);
}

Status judge_profiles(const ProfileFolder& folder) {
  for (const std::string& line : folder.refusals) {
    if (is_harmless_refusal(line, folder.program)) continue;
    return fail(ErrorKind::kLegFailed, "a profile cannot be kept: " + line,
                "build the subject as the line says");
  }
  if (folder.ready.empty()) {
    return fail(
        ErrorKind::kLegFailed,
        "no process of the subject loaded the profile library" +
            (folder.refusals.empty() ? "" : ": " + join(folder.refusals, "; ")),
        "a static or set-user-id program cannot be preloaded: link libhone_flush.a into it");
  }
  for (const ProfileFile& file : folder.files) {
    if (!file.problem.empty()) {
      return fail(ErrorKind::kProfile, file.problem, "see whether the disk is full; train again");
    }
  }
  for (const pid_t pid : folder.served) {
    if (!has_profile(folder, pid, /*start_up_counts=*/false)) {
      return no_profile(pid, "of the load");
    }
  }
  for (const pid_t pid : folder.ready) {
    if (!has_profile(folder, pid, /*start_up_counts=*/true)) return no_profile(pid, "at all");
  }
  return {};
}

}  // namespace hone::pipeline
