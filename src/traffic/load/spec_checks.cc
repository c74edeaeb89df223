#include "traffic/load/spec_checks.h"

#include <cmath>
#include <string>

#include "traffic/wire/http3.h"

namespace hone::traffic::load {
namespace {

// RFC 9113 5.1.2 names no largest number of streams; this bounds memory at 65,535 connections.
constexpr int kMostStreams = 1000;

// Nobody wants more; in nanoseconds it is far from the end of a 64-bit clock.
constexpr double kLongestSlice_s = 31 * 86'400.0;

// Fitting the arrivals to their count draws each of them once, 20 ns or so: this takes ten seconds,
// what a loop may take before it is called stuck. It is 80 minutes at 100,000/s.
constexpr double kMostScheduled = 5e8;

}  // namespace

Status check_spec(const PoolSpec& spec) {
  const auto refuse = [](const std::string& what) { return fail(ErrorKind::kUsage, what); };
  if (spec.connections < 1 || spec.connections > 65535) {
    return refuse("connections must be from 1 to 65535, not " + std::to_string(spec.connections));
  }
  if (spec.streams < 1 || spec.streams > kMostStreams) {
    return refuse("streams must be from 1 to " + std::to_string(kMostStreams) + ", not " +
                  std::to_string(spec.streams));
  }
  if (!(spec.timeout_s > 0) || !(spec.connect_limit_s > 0)) {
    return refuse("the timeout and the limit for connecting must be above zero");
  }
  if (spec.timeout_s > kLongestSlice_s || spec.connect_limit_s > kLongestSlice_s ||
      spec.connection_lifetime_s > kLongestSlice_s) {
    return refuse(
        "the timeout, the limit for connecting and a connection's lifetime must not be above "
        "31 days");
  }
  if (spec.target.protocol == wire::Protocol::kHttp3) {
    if (!wire::http3_is_built()) return wire::http3_is_missing();
    if (!spec.target.tls) {
      return fail(ErrorKind::kUsage, "HTTP/3 is always encrypted", "give an https:// URL");
    }
  }
  if (spec.requests_per_connection < 0) {
    return refuse("requests per connection must not be negative");
  }
  if (!(spec.connection_lifetime_s >= 0)) {
    return refuse("a connection's lifetime must not be negative");
  }
  if (!(spec.resume >= 0 && spec.resume <= 1)) {
    return refuse("the share of resumed handshakes must be from 0 to 1");
  }
  if (spec.requests.empty() || spec.requests.size() > kMostRequests) {
    return refuse("the request list must have from 1 to " + std::to_string(kMostRequests) +
                  " entries, not " + std::to_string(spec.requests.size()));
  }
  for (const RequestShare& entry : spec.requests) {
    if (!(entry.share > 0) || !std::isfinite(entry.share)) {
      return refuse("each request's share must be above zero");
    }
  }
  return {};
}

Status check_spec(const SliceSpec& spec) {
  if (!spec.closed_loop && !(spec.rate > 0)) {
    return fail(ErrorKind::kUsage, "the rate must be above zero");
  }
  if (!(spec.duration_s > 0) || !(spec.drain_limit_s >= 0)) {
    return fail(ErrorKind::kUsage, "the duration must be above zero");
  }
  if (spec.duration_s + spec.drain_limit_s > kLongestSlice_s) {
    return fail(ErrorKind::kUsage, "a slice of load must not be longer than 31 days");
  }
  if (!spec.closed_loop && spec.rate * spec.duration_s > kMostScheduled) {
    return fail(ErrorKind::kUsage, "more than 500 million requests in one slice",
                "use a lower rate or a shorter time");
  }
  if (spec.phases.empty()) return {};
  HONE_CHECK(check_phases(spec.phases));
  // By rounding alone they may differ.
  if (std::abs(duration_of(spec.phases) - spec.duration_s) > 1e-6 * spec.duration_s) {
    return fail(ErrorKind::kInternal, "the steps of a rate do not fill the slice's time");
  }
  return {};
}

// New connections are the pool's own, and what the slice renews. A port of a connection that this
// side has closed rests in TIME_WAIT.
Status check_ports(const PoolSpec& pool, const SliceSpec& slice) {
  // QUIC has no TIME_WAIT, and of a closed loop the rate is not known.
  if (slice.closed_loop || pool.target.protocol == wire::Protocol::kHttp3) return {};
  double renewed_per_s = 0;
  if (pool.requests_per_connection > 0) renewed_per_s += slice.rate / pool.requests_per_connection;
  if (pool.connection_lifetime_s > 0)
    renewed_per_s += pool.connections / pool.connection_lifetime_s;
  if (renewed_per_s == 0) return {};
  return system::net::check_port_budget(pool.target.address,
                                        static_cast<std::size_t>(pool.connections), renewed_per_s,
                                        slice.duration_s);
}

}  // namespace hone::traffic::load
