// The positive control: does a proof on this machine find a difference that is known to be there?
// hone's own origin against itself, B asked for the same answers with a little more work each.
#pragma once

#include "pipeline/observer.h"
#include "pipeline/prove/proof.h"
#include "pipeline/store/store.h"
#include "system/system.h"

namespace hone::pipeline {

// Three times the smallest effect that matters by default: whoever cannot find it should not look
// for less.
inline constexpr double kDialled = 0.03;

struct PositiveControl {
  std::uint64_t turns = 0;  // of the loop that B turns for each request (traffic/origin/spin.h)
  Proof proof;
  // B is called worse: by the interval, beyond the floor.
  bool found() const;
};

// Takes about two minutes with eight rounds. `program`: a hone that can be started as an origin.
// Errors as of prove(); finished rounds are kept in `store`, so that one that is cut goes on.
Result<PositiveControl> run_positive_control(const system::Path& program, int rounds,
                                             const std::vector<int>& server_cpus,
                                             const std::vector<int>& load_cpus, Store& store,
                                             const system::Path& work_folder, system::System&,
                                             Observer&);

}  // namespace hone::pipeline
