#include "pipeline/train/leg.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(LegOutcome, requests, wall_s, cpu_us_per_request, profiles, start_up, total_count,
                 start_up_count, findings)

}  // namespace hone::pipeline
