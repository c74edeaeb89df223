// Runs llvm-profdata of the chosen toolchain and reads what it prints.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "pipeline/profdata/profdata_text.h"
#include "system/system.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

class Profdata {
 public:
  // `scratch`: an existing folder for the tool's output. The others outlive this.
  Profdata(const toolchain::Toolchain& tools, system::System* system, system::Path scratch);

  Result<ProfileSummary> summary(const system::Path& profile) const;
  Result<std::vector<std::string>> covered(const system::Path& profile) const;
  struct Overview {
    ProfileSummary summary;
    std::vector<HotFunction> hottest;  // at most `count`
  };
  Result<Overview> overview(const system::Path& profile, int count) const;
  Result<CallSites> call_sites(const system::Path& profile) const;
  Result<double> overlap(const system::Path& a, const system::Path& b) const;

  struct Input {
    std::uint64_t weight = 1;  // at least 1
    system::Path file;
  };
  // One bad input is an error: nothing is left out silently. The result is the same, byte for byte,
  // for the same inputs.
  Status merge(const std::vector<Input>&, const system::Path& output) const;

  // Removes what was left in the scratch folder: a listing of all functions is large.
  Status tidy() const;

 private:
  Result<std::string> output_of(const std::vector<std::string>& arguments) const;
  Result<std::string> show(const std::vector<std::string>& options,
                           const system::Path& profile) const;

  const toolchain::Toolchain& tools_;
  system::System* system_;
  system::Path scratch_;
};

}  // namespace hone::pipeline
