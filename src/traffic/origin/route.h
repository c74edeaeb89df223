// What a path of the origin answers with. Parsed once per path and kept: a request on the common
// way costs one look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "system/clock.h"
#include "traffic/wire/server_session.h"

namespace hone::traffic::origin {

struct Route {
  enum class Body {
    kAsGiven,   // what `reply` says
    kEcho,      // the request's
    kCounters,  // the origin's own, as JSON
    kGrpcEcho,  // the request's, as the answer to a unary call
  };
  wire::Reply reply;
  system::Duration delay{};
  std::uint64_t spin_turns = 0;  // of spin(), before it answers
  Body body = Body::kAsGiven;
};

// Every path has a route: what is not known, or out of bounds, is a 404 that says so. A query is
// passed over.
Route parse_route(std::string_view target);

// The answer to a call that has no message.
wire::Reply grpc_trailers_only(int status);

class RouteCache {
 public:
  // Valid until the next call.
  const Route& find(std::string_view target);
  std::size_t size() const { return routes_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view path) const {
      return std::hash<std::string_view>()(path);
    }
  };
  std::unordered_map<std::string, Route, Hash, std::equal_to<>> routes_;
  Route uncached_;
};

}  // namespace hone::traffic::origin
