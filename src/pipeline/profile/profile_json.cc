#include "pipeline/profile/profile.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(LegCoverage, name, requests, weight, functions_covered, total_count, only_here)
HONE_JSON_FIELDS(MergedProfile, path, sha256, functions, functions_covered, total_count, max_count,
                 call_sites, call_sites_resolved, legs, hottest, overlap, reused)

}  // namespace hone::pipeline
