// Where a subject's load and origin run, and how each side reaches the other.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace hone::subject {

struct FarHost {
  std::vector<std::string> via;  // runs a command there: "ssh", "load1"; empty: this machine
  std::string hone = "hone";     // the program there
  bool is_far() const { return !via.empty(); }
};
HONE_JSON(FarHost)

// Addresses are names or numbers, without brackets.
struct Hosts {
  FarHost load, origin;
  int load_threads = 1;  // of a load that is far; here load and origin share one
  std::string server_address = "127.0.0.1";  // of this machine, as load reaches it: {host}
  std::string origin_address = "127.0.0.1";  // of the origin's host, as this machine reaches it
};
HONE_JSON(Hosts)

// "`ssh load1`", or "this machine".
std::string to_string(const FarHost&);

}  // namespace hone::subject
