#include "pipeline/recipe/recipe.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(Source, path, apt)
HONE_JSON_FIELDS(Build, system, target, binary, configure, commands, env, jobs, toolchain, packages)
HONE_JSON_FIELDS(Train, leg_s, rate, workers, starts_per_requests)
HONE_JSON_FIELDS(Load, name, rate, busy, arrivals)
HONE_JSON_FIELDS(Cpus, server, load)
HONE_JSON_FIELDS(Prove, rounds, precision, rounds_in_turn, rounds_without_spinner, side_by_side,
                 slices, slice_s, head_s, warm_up_limit_s, connections, streams, smallest_effect,
                 seed, spinner, callgrind, cpus, hosts)
HONE_JSON_FIELDS(Recipe, file, subject, summary, source, build, server, shapes, train, loads, prove)

}  // namespace hone::pipeline
