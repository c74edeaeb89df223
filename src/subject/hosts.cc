#include "subject/hosts.h"

#include "base/text.h"

namespace hone::subject {

HONE_JSON_FIELDS(FarHost, via, hone)
HONE_JSON_FIELDS(Hosts, load, origin, load_threads, server_address, origin_address)

std::string to_string(const FarHost& host) {
  return host.is_far() ? "`" + shell_join(host.via) + "`" : "this machine";
}

}  // namespace hone::subject
