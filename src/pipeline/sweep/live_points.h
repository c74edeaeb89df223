// Points of real servers: all arms alive on the same CPUs, load going to one of them at a time.
#pragma once

#include <memory>

#include "pipeline/observer.h"
#include "pipeline/sweep/point_source.h"
#include "system/system.h"

namespace hone::pipeline {

// `work_folder`: run folders of the arms, and under `failed` those of arms that failed. The rig
// (load's thread, spinner) is made with the first pass; what it has to say goes to the observer.
// Everything given outlives it.
std::unique_ptr<PointSource> make_live_points(const SweepDesign&, const system::Path& work_folder,
                                              system::System&, Observer&);

}  // namespace hone::pipeline
