#include "pipeline/optimize/optimize.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(Product, folder, files)

}  // namespace hone::pipeline
