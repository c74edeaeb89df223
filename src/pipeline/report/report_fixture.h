// Made-up runs with the sizes and the scatter of real ones, for the tests of every exporter. They
// draw their own numbers, so that no change elsewhere moves the golden files.
#pragma once

#include <string>

#include "pipeline/report/report.h"

namespace hone::pipeline::report {

// Whole units: the last bit of one libm is not to be in a golden file.
double round_to(double value, double unit);

// nghttpx, six trained shapes and three untrained, two loads; one spoiled round.
RunValues full_run();
// The same with every other verdict: worse, same, unresolved, withheld and failed.
RunValues mixed_run();
// `hone compare`: one shape, one load, no builds, no legs, no profile.
RunValues compare_run();

// The same with four candidates: one same, one saved, one worse, and one that failed beside it.
RunValues candidates_run();

// Compares with tests/golden/NAME, or writes it when HONE_UPDATE_GOLDEN is set.
void expect_golden(const std::string& name, const std::string& text);
std::string read_repository_file(const std::string& path);

}  // namespace hone::pipeline::report
