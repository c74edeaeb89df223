#include "traffic/origin/origin.h"

namespace hone::traffic::origin {

HONE_JSON_FIELDS(OriginCounters, requests, responses, connections, open_connections, bytes_in,
                 bytes_out, protocol_errors, handshakes)

}  // namespace hone::traffic::origin
