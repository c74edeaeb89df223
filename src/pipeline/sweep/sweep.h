// Loads up to saturation, all arms: points in random order, each repeated, each on disk before the
// next begins, so that a cut sweep goes on where it was.
#pragma once

#include "pipeline/observer.h"
#include "pipeline/store/store.h"
#include "pipeline/sweep/point_source.h"
#include "pipeline/sweep/results.h"
#include "system/system.h"

namespace hone::pipeline {

// Points are kept in the store, one folder per shape, and linked into the run's folder "sweep".
// `work_folder`: as for prove().
Result<Sweep> run_sweep(const SweepDesign&, Store&, const system::Path& work_folder,
                        system::System&, Observer&);

// The same over any source of points: for tests.
Result<Sweep> run_sweep(const SweepDesign&, Store&, PointSource&, system::Files*, Observer&);

}  // namespace hone::pipeline
