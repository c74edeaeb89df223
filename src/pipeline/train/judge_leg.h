// Has a leg done its work? Pure decisions on what was seen.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "traffic/load/load_session.h"

namespace hone::pipeline {

// kLegFailed when any answer was not as expected, with the counts and the most frequent status.
Status judge_answers(const traffic::load::SliceResult&);

// One *.profraw file: "<pid>-<module>", "<pid>.<part>-<module>", "startup-<pid>-<module>", or
// "exit-<pid>-<module>" of a process that the profile library does not serve.
struct ProfileFile {
  std::string name;
  pid_t pid = 0;  // 0: the name has none
  bool start_up = false;
  std::string problem;  // why it is no whole profile; empty: it is one
};
ProfileFile parse_profile_name(const std::string& name);

struct ProfileFolder {  // as a leg left it
  std::string program;  // path of the instrumented binary
  std::vector<ProfileFile> files;
  std::vector<pid_t> served;  // were reset at the start or wrote at the end: they ran under load
  std::vector<pid_t> ready;   // every process that the library served at any time
  std::vector<std::string> refusals;
};
// kLegFailed or kProfile unless every process that runs instrumented code left a whole profile.
Status judge_profiles(const ProfileFolder&);

// Whether a line of a *.refused file is no loss: another program than the subject's, without
// instrumentation (a shell that starts it, a log rotator).
bool is_harmless_refusal(const std::string& line, const std::string& program);

}  // namespace hone::pipeline
