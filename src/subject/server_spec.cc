#include "subject/server_spec.h"

namespace hone::subject {

Json behaviour(const ServerSpec& server) {
  Json json = server;
  json["ready"].erase("limit_s");
  json["stop"].erase("limit_s");
  return json;
}

}  // namespace hone::subject
