#include "pipeline/plan/plan.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(Step, id, kind, flags, inputs, expected_s)
HONE_JSON_FIELDS(PlannedArm, name, variant, build)
HONE_JSON_FIELDS(Plan, steps, arms, train_shapes, prove_shapes, loads, train, prove,
                 expected_prove_s)

}  // namespace hone::pipeline
