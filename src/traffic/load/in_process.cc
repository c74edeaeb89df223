// The load session in this process: the caller's thread waits, the loops' threads work.
//
// A slice has two steps on every thread: draw its schedule and bring up what is down, then begin.
// Several threads begin at one common instant that still lies ahead, so that their phases
// interleave; a single one begins when it gets there, so that it cannot be late from the start.
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "system/interrupt.h"
#include "traffic/load/worker.h"
#include "traffic/wire/http3.h"

namespace hone::traffic::load {
namespace {

using system::Duration;
using system::Instant;
using system::net::Loop;
using system::net::LoopThread;

// How soon Ctrl-C is noticed at the latest.
constexpr auto kLook = std::chrono::milliseconds(50);

// From the decision to start to the first due time: a posted function reaches its loop within
// 100 us, a sleeping CPU included.
constexpr Duration kLead = std::chrono::milliseconds(1);

// What a loop may take beyond its own limits before it is called stuck.
constexpr Duration kPatience = std::chrono::seconds(10);

// Files a process has open beside its connections (logs, epoll descriptors, pipes to children).
constexpr std::size_t kOtherFiles = 64;

// RFC 9113 5.1.2 names no largest number of streams; this bounds memory at 65,535 connections.
constexpr int kMostStreams = 1000;

// One value from each of several threads, for one that waits. Shared with those threads, so that
// one that answers after the waiter has given up does no harm.
template <typename Value>
class Gathered {
 public:
  explicit Gathered(std::size_t expected) : expected_(expected) {}

  void put(Value value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    if (values_.size() == expected_) complete_.notify_one();
  }

  // `heed`: an interrupt ends the wait; it can be taken up again.
  Result<std::vector<Value>> wait(Duration limit, bool heed = true) {
    const Instant end = Loop::read_clock() + limit;
    std::unique_lock lock(mutex_);
    while (values_.size() < expected_) {
      if (heed) HONE_CHECK(system::check_interrupted());
      if (Loop::read_clock() >= end) {
        return fail(ErrorKind::kMachineUnfit, "the load's own thread does not answer",
                    "check that the machine is not overloaded or suspended; then run again");
      }
      complete_.wait_for(lock, kLook);
    }
    return std::move(values_);
  }

 private:
  const std::size_t expected_;
  std::mutex mutex_;
  std::condition_variable complete_;
  std::vector<Value> values_;
};

struct Member {
  LoopThread* thread = nullptr;
  std::unique_ptr<Worker> worker;  // lives on the thread
};

struct Pool {
  PoolSpec spec;
  std::vector<Member> members;
};

Status check(const PoolSpec& spec) {
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

Status check(const SliceSpec& spec) {
  if (!spec.closed_loop && !(spec.rate > 0)) {
    return fail(ErrorKind::kUsage, "the rate must be above zero");
  }
  if (!(spec.duration_s > 0) || !(spec.drain_limit_s >= 0)) {
    return fail(ErrorKind::kUsage, "the duration must be above zero");
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
  if (slice.closed_loop) return {};
  double renewed_per_s = 0;
  if (pool.requests_per_connection > 0) renewed_per_s += slice.rate / pool.requests_per_connection;
  if (pool.connection_lifetime_s > 0)
    renewed_per_s += pool.connections / pool.connection_lifetime_s;
  if (renewed_per_s == 0) return {};
  return system::net::check_port_budget(pool.target.address,
                                        static_cast<std::size_t>(pool.connections), renewed_per_s,
                                        slice.duration_s);
}

class InProcess final : public LoadSession {
 public:
  explicit InProcess(std::vector<LoopThread*> threads) : threads_(std::move(threads)) {}
  ~InProcess() override {
    while (!pools_.empty()) close(pools_.begin()->first);
  }
  InProcess(const InProcess&) = delete;
  InProcess& operator=(const InProcess&) = delete;

  Result<PoolId> connect(const PoolSpec& spec) override;
  Result<SliceResult> slice(PoolId id, const SliceSpec& spec) override;
  Result<PoolState> spread(PoolId id, const std::vector<int>& redial) override;
  void close(PoolId id) override;

 private:
  Result<Pool*> find(PoolId id);
  static Status dial(Pool* pool);
  static int connections_up(Pool* pool);
  static Status make_workers(Pool* pool);
  static Status bring_up(Pool* pool);
  static Error not_all_up(Pool* pool, Error why);
  static void cut(Pool* pool);
  static void abort(Pool* pool);

  std::vector<LoopThread*> threads_;
  std::map<PoolId, Pool> pools_;
  PoolId next_id_ = 1;
};

Result<Pool*> InProcess::find(PoolId id) {
  const auto found = pools_.find(id);
  if (found == pools_.end()) {
    return fail(ErrorKind::kInternal, "load was asked of a pool that is not connected");
  }
  return &found->second;
}

Result<PoolId> InProcess::connect(const PoolSpec& spec) {
  HONE_CHECK(check(spec));
  HONE_CHECK(
      system::net::reserve_descriptors(static_cast<std::size_t>(spec.connections) + kOtherFiles));
  const PoolId id = next_id_++;
  Pool& pool = pools_[id];
  pool.spec = spec;
  for (LoopThread* thread : threads_) {
    // A thread without a connection has nothing to do.
    if (static_cast<int>(pool.members.size()) == spec.connections) break;
    pool.members.push_back({thread, nullptr});
  }
  Status up = dial(&pool);
  for (const system::net::Address& other : spec.target.other_addresses) {
    if (up || up.error().kind != ErrorKind::kNetwork || connections_up(&pool) > 0) break;
    pool.spec.target.address = other;
    up = dial(&pool);
  }
  if (!up) {
    close(id);
    return tl::make_unexpected(up.error());
  }
  return id;
}

// All connections to the pool's address, from workers made anew.
Status InProcess::dial(Pool* pool) {
  for (Member& member : pool->members) {
    member.thread->call([&member] { member.worker.reset(); });
  }
  HONE_CHECK(make_workers(pool));
  return bring_up(pool);
}

int InProcess::connections_up(Pool* pool) {
  int up = 0;
  for (Member& member : pool->members) {
    if (member.worker == nullptr) continue;  // it could not be made
    member.thread->call([&] { up += member.worker->connections_up(); });
  }
  return up;
}

Status InProcess::make_workers(Pool* pool) {
  Share share{pool->spec.connections, 0, static_cast<int>(pool->members.size())};
  for (Member& member : pool->members) {
    std::optional<Result<std::unique_ptr<Worker>>> made;
    member.thread->call([&] { made = Worker::make(&member.thread->loop(), pool->spec, share); });
    HONE_TRY(member.worker, std::move(*made));
    ++share.worker;
  }
  return {};
}

Status InProcess::bring_up(Pool* pool) {
  const auto gathered = std::make_shared<Gathered<Status>>(pool->members.size());
  for (Member& member : pool->members) {
    member.thread->loop().post([worker = member.worker.get(), gathered] {
      worker->connect([gathered](Status status) { gathered->put(std::move(status)); });
    });
  }
  const auto outcomes = gathered->wait(system::seconds(pool->spec.connect_limit_s) + kPatience);
  if (!outcomes) {
    abort(pool);
    return tl::make_unexpected(outcomes.error());
  }
  for (const Status& outcome : *outcomes) {
    if (!outcome) return tl::make_unexpected(not_all_up(pool, outcome.error()));
  }
  return {};
}

Error InProcess::not_all_up(Pool* pool, Error why) {
  // Ports or files that this machine lacks are not the server's fault.
  if (why.kind != ErrorKind::kMachineUnfit) why.kind = ErrorKind::kNetwork;
  why.what = std::to_string(connections_up(pool)) + " of " +
             std::to_string(pool->spec.connections) + " connections to " +
             to_string(pool->spec.target.address) + " came up; the others did not: " + why.what;
  if (why.next.empty()) why.next = "check that the server listens there and takes that many";
  return why;
}

Result<SliceResult> InProcess::slice(PoolId id, const SliceSpec& spec) {
  HONE_CHECK(check(spec));
  HONE_TRY(Pool * pool, find(id));
  HONE_CHECK(check_ports(pool->spec, spec));
  for (Member& member : pool->members) {
    member.thread->loop().post([worker = member.worker.get(), spec] { worker->prepare(spec); });
  }
  HONE_CHECK(bring_up(pool));
  using Outcome = Result<SliceResult>;
  const auto gathered = std::make_shared<Gathered<Outcome>>(pool->members.size());
  const Instant common = Loop::read_clock() + kLead;
  const bool alone = pool->members.size() == 1;
  for (Member& member : pool->members) {
    member.thread->loop().post([worker = member.worker.get(), gathered, alone, common] {
      worker->slice(alone ? Loop::read_clock() : common,
                    [gathered](Outcome outcome) { gathered->put(std::move(outcome)); });
    });
  }
  auto outcomes = gathered->wait(system::seconds(spec.duration_s + spec.drain_limit_s) + kPatience);
  const bool interrupted =
      spec.keep_interrupted && !outcomes && outcomes.error().kind == ErrorKind::kInterrupted;
  if (interrupted) {
    cut(pool);
    outcomes = gathered->wait(system::seconds(spec.drain_limit_s) + kPatience, /*heed=*/false);
  }
  if (!outcomes) {
    abort(pool);
    return tl::make_unexpected(outcomes.error());
  }
  HONE_TRY(SliceResult sum, std::move(outcomes->front()));
  for (std::size_t i = 1; i < outcomes->size(); ++i) {
    HONE_TRY(const SliceResult part, std::move((*outcomes)[i]));
    merge_workers(&sum, part);
  }
  HONE_CHECK(check_identities(sum));
  sum.interrupted = interrupted;
  return sum;
}

void InProcess::cut(Pool* pool) {
  for (Member& member : pool->members) {
    member.thread->call([&member] { member.worker->cut(); });
  }
}

void InProcess::abort(Pool* pool) {
  for (Member& member : pool->members) {
    member.thread->call([&member] { member.worker->abort(); });
  }
}

Result<PoolState> InProcess::spread(PoolId id, const std::vector<int>& redial) {
  HONE_TRY(Pool * pool, find(id));
  if (!redial.empty()) {
    const int members = static_cast<int>(pool->members.size());
    for (const int connection : redial) {
      if (connection < 0 || connection >= pool->spec.connections) {
        return fail(ErrorKind::kInternal,
                    "the pool has no connection " + std::to_string(connection));
      }
      Member& member = pool->members[static_cast<std::size_t>(connection % members)];
      member.thread->call([&] { member.worker->hang_up(connection / members); });
    }
    HONE_CHECK(bring_up(pool));
  }
  PoolState state;
  state.local_ports.resize(static_cast<std::size_t>(pool->spec.connections));
  for (std::size_t i = 0; i < pool->members.size(); ++i) {
    Member& member = pool->members[i];
    member.thread->call([&] {
      state.connections += member.worker->connections_up();
      const std::vector<std::uint16_t> ports = member.worker->local_ports();
      for (std::size_t line = 0; line < ports.size(); ++line) {
        state.local_ports[i + line * pool->members.size()] = ports[line];
      }
    });
  }
  return state;
}

void InProcess::close(PoolId id) {
  const auto found = pools_.find(id);
  if (found == pools_.end()) return;
  for (Member& member : found->second.members) {
    member.thread->call([&member] { member.worker.reset(); });
  }
  pools_.erase(found);
}

}  // namespace

std::unique_ptr<LoadSession> make_in_process(LoopThread* thread) {
  return make_in_process(std::vector<LoopThread*>{thread});
}

std::unique_ptr<LoadSession> make_in_process(std::vector<LoopThread*> threads) {
  return std::make_unique<InProcess>(std::move(threads));
}

}  // namespace hone::traffic::load
