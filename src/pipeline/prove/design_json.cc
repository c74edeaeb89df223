#include "pipeline/prove/design.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(Arm, name, variant, label, binary, sha256, server, url, files)
HONE_JSON_FIELDS(Design, subject, base, candidates, shapes, loads, settings, server_cpus, load_cpus,
                 with_origin, machine)

}  // namespace hone::pipeline
