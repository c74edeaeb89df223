#include "pipeline/build/build.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(BuildCosts, wall_s, cpu_s, peak_rss_kib, binary_bytes, text_bytes, stripped_bytes)
HONE_JSON_FIELDS(ProfileUse, functions_mismatched, functions_missing, counts_discarded)
HONE_JSON_FIELDS(BuiltBinary, variant, path, sha256, log, compile_flags, link_flags, costs,
                 profile_use, reused)
HONE_JSON_FIELDS(FetchedSource, path, identity, text)

}  // namespace hone::pipeline
