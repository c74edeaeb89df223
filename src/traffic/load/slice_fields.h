// The counts and histograms of a slice that add up, by name: for sums and for the whole result on a
// pipe. One that is new belongs here.
#pragma once

#include <cstdint>

#include "traffic/load/load_session.h"

namespace hone::traffic::load {

struct NamedCount {
  const char* key;
  std::uint64_t SliceResult::* field;
};
inline constexpr NamedCount kCounts[] = {
    {"scheduled", &SliceResult::scheduled},
    {"sent", &SliceResult::sent},
    {"missed", &SliceResult::missed},
    {"expired", &SliceResult::expired},
    {"blocked", &SliceResult::blocked},
    {"ok", &SliceResult::ok},
    {"bad_status", &SliceResult::bad_status},
    {"reset", &SliceResult::reset},
    {"timeout", &SliceResult::timeout},
    {"connection_error", &SliceResult::connection_error},
    {"unfinished", &SliceResult::unfinished},
    {"resent", &SliceResult::resent},
    {"window_blocked", &SliceResult::window_blocked},
    {"connections_made", &SliceResult::connections_made},
    {"handshakes_full", &SliceResult::handshakes_full},
    {"handshakes_resumed", &SliceResult::handshakes_resumed},
    {"handshakes_offered", &SliceResult::handshakes_offered},
    {"bytes_in", &SliceResult::bytes_in},
    {"bytes_out", &SliceResult::bytes_out},
    {"body_bytes", &SliceResult::body_bytes},
    {"release_turns", &SliceResult::release_turns},
    {"client_wakes", &SliceResult::client_wakes},
};

struct NamedHistogram {
  const char* key;
  Histogram SliceResult::* field;
};
inline constexpr NamedHistogram kHistograms[] = {
    {"connecting", &SliceResult::connecting},
    {"latency", &SliceResult::latency},
    {"service", &SliceResult::service},
    {"lateness", &SliceResult::lateness},
    {"generator_lateness", &SliceResult::generator_lateness},
};

}  // namespace hone::traffic::load
