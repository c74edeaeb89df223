#include "pipeline/train/train.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(Leg, name, folder, requests, share, profiles, total_count, wall_s,
                 cpu_us_per_request, reused)

}  // namespace hone::pipeline
