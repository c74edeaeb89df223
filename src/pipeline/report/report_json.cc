#include "pipeline/report/report.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(RunValues, command, started_at, finished_at, wall_s, subject, summary,
                 recipe_sha256, source, tools, builds, legs, profile, product, machine, proof,
                 findings)

}  // namespace hone::pipeline
