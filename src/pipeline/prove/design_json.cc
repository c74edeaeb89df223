#include "pipeline/prove/design.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(Arm, name, variant, binary, sha256, server, url, files)
HONE_JSON_FIELDS(Design, subject, arms, shapes, loads, settings, server_cpus, load_cpus,
                 with_origin, machine)

}  // namespace hone::pipeline
