// The one seam through which load is driven: connect, slice, spread, close; cut and watch look into
// a slice that runs. In this process (make_in_process) or over a pipe (remote_session.h); nothing
// above can tell.
//
// Open loop: request i of a slice is due at its own time and belongs to connection i mod N, on
// HTTP/2 too. Latency runs from the due time. A request that the generator itself is more than 10
// ms late for is skipped: `missed`. One whose connection or stream is still busy waits in its
// connection's queue with its due time: `blocked`; when it is still there at the timeout,
// `expired`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/histogram.h"
#include "base/json.h"
#include "system/net/loop.h"
#include "system/net/socket.h"
#include "traffic/load/arrivals.h"
#include "traffic/load/intervals.h"
#include "traffic/load/rate_phase.h"
#include "traffic/wire/message.h"

namespace hone::traffic::load {

// Part of the values here.
using hone::Histogram;
using hone::LatencySummary;
using hone::summarise;

struct Target {
  system::net::Address address;
  // Of the same name: tried in turn while not one connection of a pool comes up at those before.
  std::vector<system::net::Address> other_addresses = {};
  wire::Protocol protocol = wire::Protocol::kHttp1;
  bool tls = false;
  bool verify = true;
  std::string ca_pem;  // authorities, as text, since a file may be on another machine
  std::string sni;     // also the name that is verified; empty: the address
};

// One kind of request of a pool, and its part in the mix.
struct RequestShare {
  wire::Request request;
  double share = 1;  // above zero; what counts is its part of the list's sum
  std::string name;  // in results
};

inline constexpr std::size_t kMostRequests = 10'000;  // bounds memory

struct PoolSpec {
  Target target;
  // 1 to kMostRequests. Which one a request is, is drawn from the slice's seed: the same sequence
  // whatever the connections and threads are.
  std::vector<RequestShare> requests{1};
  int connections = 16;  // 1 to 65,535; all are up before connect() returns
  int streams = 32;      // HTTP/2 requests open at once on a connection
  double connect_limit_s = 10;
  double timeout_s = 5;  // of a request, from its due time
  // Churn. A connection that has had its requests, or its time, takes no more; once the open ones
  // have ended it is closed and made again. The first limits of each connection are drawn from
  // `churn_seed`, below the ones given here, so that not all of them are closed together.
  int requests_per_connection = 0;   // 0: no limit
  double connection_lifetime_s = 0;  // 0: no limit
  double resume = 1;  // 0 to 1: share of the new TLS connections that offer the last ticket
  std::uint64_t churn_seed = 1;
};

struct SliceSpec {
  double rate = 1000;       // requests per second in total; > 0
  double duration_s = 0.5;  // requests due within it are sent; then the drain
  // Of a rate that changes: `rate` is then their mean and `duration_s` their sum (set_phases).
  std::vector<RatePhase> phases;
  Arrivals arrivals;
  std::uint64_t seed = 1;
  double drain_limit_s = 2;  // at most this long for the last answers; the rest is `unfinished`
  bool spin = false;
  bool closed_loop = false;  // rate ignored: each free slot sends at once, for ceilings
  // Ctrl-C ends the slice then and there, with what came of it, in place of an error.
  bool keep_interrupted = false;
};

void set_phases(SliceSpec*, std::vector<RatePhase> phases);

struct RequestCounts {  // of one entry of the pool's list
  std::string name;
  double share = 0;  // of the whole, 0 to 1
  std::uint64_t sent = 0, ok = 0;
};
HONE_JSON(RequestCounts)

// Identities, asserted at the end of every slice:
//   scheduled = sent + missed + expired
//   sent = ok + bad_status + reset + timeout + connection_error + unfinished
//   reset + timeout + connection_error = all of failures
//
// `latency` holds every answer, and every request that was given up (timeout, expired, unfinished)
// with the time it had waited by then: what a slow subject causes does not vanish. `service` holds
// answers only, `lateness` every request's first send. Of these, `generator_lateness` leaves out
// the blocked ones: what is left of sent - due is the generator's own doing. A reset or lost
// request has an outcome and no latency.
struct SliceResult {
  double target_rate = 0;    // 0 in a closed loop
  double achieved_rate = 0;  // sends that left by the slice's end, or 10 ms after it at most, over
                             // the slice's duration; in a closed loop, answers over the time to the
                             // last one
  double duration_s = 0;     // first due to last answer
  bool interrupted = false;  // ended early; the rate is over the time until then
  std::uint64_t scheduled = 0, sent = 0, missed = 0, expired = 0, blocked = 0;
  std::uint64_t ok = 0;  // a whole response with a 2xx or 3xx status; of gRPC, status 0
  std::uint64_t bad_status = 0, reset = 0, timeout = 0, connection_error = 0, unfinished = 0;
  std::uint64_t resent = 0;  // of `sent`, what the peer refused unseen and was written once more
  std::uint64_t window_blocked = 0;             // sends that met a shut flow-control window
  std::map<std::string, std::uint64_t> status;  // by code; "grpc-14" where HTTP's was 200
  // Each request of reset, timeout and connection_error by what became of it, and each connection
  // that ended or did not come up, other than by our own doing, since the slice before; by the
  // names in wire/failure.h.
  std::map<std::string, std::uint64_t> failures, connection_failures;
  std::vector<RequestCounts> requests;                           // in the order of the pool's list
  std::uint64_t per_connection_min = 0, per_connection_max = 0;  // scheduled, over the pool
  std::uint64_t connections_made = 0, handshakes_full = 0, handshakes_resumed = 0;
  std::uint64_t handshakes_offered = 0;  // a ticket, whatever the server made of it
  Histogram connecting;                  // from connect() to being up, TLS and SETTINGS included
  std::uint64_t bytes_in = 0, bytes_out = 0, body_bytes = 0;
  std::uint64_t release_turns = 0;       // loop turns that sent at least one request
  Histogram latency, service, lateness;  // from due; from sent; sent - due
  Histogram generator_lateness;          // sent - due of what was never blocked
  // By due time; of one slice only: a sum of slices has none.
  std::vector<StepResult> steps;  // where the rate had phases
  std::vector<SeriesPoint> series;
  double series_interval_s = 0;
  double client_cpu_s = 0;  // of the loop's thread, origin included when it shares it
  std::uint64_t client_wakes = 0;
};
Json to_json(const SliceResult&);  // the contract of `hone load --json`, histograms summarised
// Sums, extremes, merged histograms; rates are the mean over the time. `other` came after `into`.
void merge(SliceResult* into, const SliceResult& other);
// The same for parts of one slice that ran at the same time: rates add up. `into` is another part:
// an empty result has no connections, and would be the one with the least.
void merge_workers(SliceResult* into, const SliceResult& other);
Status check_identities(const SliceResult&);

struct PoolState {
  int connections = 0;                     // up now
  std::vector<std::uint16_t> local_ports;  // of each connection, in order
};

using PoolId = int;

struct SliceProgress {
  double elapsed_s = 0, duration_s = 0;
  std::uint64_t sent = 0, ok = 0, ended = 0;  // `ended`: ok, or in any other way
};
using ProgressSink = std::function<void(const SliceProgress&)>;

class LoadSession {
 public:
  virtual ~LoadSession() = default;
  virtual Result<PoolId> connect(const PoolSpec&) = 0;
  // Pools stay connected between slices; a connection the peer closed is made again before the
  // slice starts (and counted). One slice at a time.
  virtual Result<SliceResult> slice(PoolId, const SliceSpec&) = 0;
  // What is connected; first the connections of `redial`, by number from 0, are closed and made
  // anew: a server deals them to its workers once more. Between slices only.
  virtual Result<PoolState> spread(PoolId, const std::vector<int>& redial) = 0;
  virtual void close(PoolId) = 0;
  // From any thread: the slice under way ends now, with what came of it (`interrupted`).
  virtual void cut() = 0;
  // While slice() waits it tells `sink` about twice a second how far it is, on its own thread. A
  // far side does not.
  virtual void watch(ProgressSink sink) { static_cast<void>(std::move(sink)); }
};

// Runs on `thread`'s loop, beside whatever else is there (the origin). `thread` outlives it. Its
// functions wait and so are called from another thread.
std::unique_ptr<LoadSession> make_in_process(system::net::LoopThread* thread);
// The same over several threads: connection c lives on thread c mod T, so that they interleave in
// phase and together send what one thread would.
std::unique_ptr<LoadSession> make_in_process(std::vector<system::net::LoopThread*> threads);

}  // namespace hone::traffic::load
