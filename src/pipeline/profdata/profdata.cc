#include "pipeline/profdata/profdata.h"

namespace hone::pipeline {
namespace {

// Merging the profiles of the largest servers takes a few minutes; beyond, it hangs.
constexpr double kLimitS = 1800;

const char kOutputFile[] = "llvm-profdata.txt";
const char kListFile[] = "inputs.txt";

}  // namespace

Profdata::Profdata(const toolchain::Toolchain& tools, system::System* system, system::Path scratch)
    : tools_(tools), system_(system), scratch_(std::move(scratch)) {}

Result<std::string> Profdata::output_of(const std::vector<std::string>& arguments) const {
  // Through a file: a listing of all functions may be larger than what is kept in memory of a
  // child's output, and what the tool complains about belongs beside it.
  const system::Path output = scratch_ / kOutputFile;
  HONE_CHECK(system_->files->remove_all(output));  // a child's output is appended
  system::Command command;
  command.argv = {tools_.profdata};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.output = output;
  command.limit_s = kLimitS;
  HONE_TRY(const system::Exit exit, system_->processes->run(command));
  HONE_TRY(std::string text, system_->files->read(output));
  if (exit.ok()) return text;
  std::string why = first_complaint(text);
  if (why.empty()) why = describe(exit);
  const bool other_version =
      why.find("unsupported instrumentation profile format version") != std::string::npos;
  return fail(ErrorKind::kProfile, "llvm-profdata " + tools_.version + ": " + why,
              other_version ? "the profile is of another compiler: build the instrumented binary "
                              "with the toolchain that merges it"
                            : "remove the leg and train again",
              output.string());
}

Result<std::string> Profdata::show(const std::vector<std::string>& options,
                                   const system::Path& profile) const {
  std::vector<std::string> arguments = {"show"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(profile.string());
  return output_of(arguments);
}

Result<ProfileSummary> Profdata::summary(const system::Path& profile) const {
  HONE_TRY(const std::string text, show({}, profile));
  return parse_profile_summary(text);
}

Result<std::vector<std::string>> Profdata::covered(const system::Path& profile) const {
  HONE_TRY(const std::string text, show({"--covered"}, profile));
  return parse_covered(text);
}

Result<Profdata::Overview> Profdata::overview(const system::Path& profile, int count) const {
  HONE_TRY(const std::string text, show({"--topn=" + std::to_string(count)}, profile));
  Overview overview;
  HONE_TRY(overview.summary, parse_profile_summary(text));
  overview.hottest = parse_hottest(text);
  return overview;
}

Result<CallSites> Profdata::call_sites(const system::Path& profile) const {
  HONE_TRY(const std::string text, show({"--all-functions", "--ic-targets"}, profile));
  return parse_call_sites(text);
}

Result<double> Profdata::overlap(const system::Path& a, const system::Path& b) const {
  HONE_TRY(const std::string text, output_of({"overlap", a.string(), b.string()}));
  return parse_overlap(text);
}

Status Profdata::merge(const std::vector<Input>& inputs, const system::Path& output) const {
  // A list in a file: hundreds of processes would not fit a command line. The weight stands in
  // every line, since a name with a comma would be split without it.
  std::string list;
  for (const Input& input : inputs) {
    list += std::to_string(input.weight) + "," + input.file.string() + "\n";
  }
  const system::Path list_file = scratch_ / kListFile;
  HONE_CHECK(system_->files->write(list_file, list));
  // One thread: with several, value-profile entries of equal count may change places.
  HONE_TRY(const std::string text,
           output_of({"merge", "--failure-mode=any", "--num-threads=1",
                      "--input-files=" + list_file.string(), "-o", output.string()}));
  if (text.find("counter overflow") != std::string::npos) {
    return fail(ErrorKind::kProfile, "merging profiles overflowed a counter",
                "shorten [train] leg, or raise the smallest share");
  }
  return {};
}

Status Profdata::tidy() const {
  HONE_CHECK(system_->files->remove_all(scratch_ / kOutputFile));
  return system_->files->remove_all(scratch_ / kListFile);
}

}  // namespace hone::pipeline
