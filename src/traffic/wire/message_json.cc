#include "traffic/wire/message.h"

namespace hone::traffic::wire {

HONE_JSON_FIELDS(Header, name, value)

}  // namespace hone::traffic::wire
