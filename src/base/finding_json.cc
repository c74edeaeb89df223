#include "base/finding.h"

namespace hone {

HONE_JSON_FIELDS(Finding, id, severity, text, advice)

}  // namespace hone
