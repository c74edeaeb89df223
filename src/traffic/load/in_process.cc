// The load session in this process: the caller's thread waits, the loops' threads work.
//
// A slice has two steps on every thread: draw its schedule and bring up what is down, then begin.
// Several threads begin at one common instant that still lies ahead, so that their phases
// interleave; a single one begins when it gets there, so that it cannot be late from the start.
#include <atomic>
#include <functional>
#include <map>
#include <optional>

#include "system/interrupt.h"
#include "traffic/load/gathered.h"
#include "traffic/load/spec_checks.h"
#include "traffic/load/worker.h"

namespace hone::traffic::load {
namespace {

using system::Duration;
using system::Instant;
using system::net::Loop;
using system::net::LoopThread;

// From the decision to start to the first due time: a posted function reaches its loop within
// 100 us, a sleeping CPU included.
constexpr Duration kLead = std::chrono::milliseconds(1);

// What a loop may take beyond its own limits before it is called stuck.
constexpr Duration kPatience = std::chrono::seconds(10);

// Files a process has open beside its connections (logs, epoll descriptors, pipes to children).
constexpr std::size_t kOtherFiles = 64;

struct Member {
  LoopThread* thread = nullptr;
  std::unique_ptr<Worker> worker;  // lives on the thread
};

// Counts as they grow, for whoever watches: each loop is asked twice a second, so a sleeping one
// wakes once more for it, and the answer is told at the next look.
class ProgressReports {
 public:
  ProgressReports(const ProgressSink& sink, std::vector<Member>& members, double duration_s)
      : sink_(sink), members_(members), duration_s_(duration_s) {}

  void look() {
    if (!sink_) return;
    const Instant now = Loop::read_clock();
    if (asked_) {
      asked_ = false;
      sink_({system::to_seconds(now - begin_), duration_s_, counts_->sent.exchange(0),
             counts_->ok.exchange(0), counts_->ended.exchange(0)});
    } else if (now >= next_) {
      asked_ = true;
      next_ = now + kAskEvery;
      for (Member& member : members_) {
        member.thread->loop().post([worker = member.worker.get(), counts = counts_] {
          const SliceResult& r = worker->so_far();
          counts->sent += r.sent;
          counts->ok += r.ok;
          counts->ended += r.ok + r.bad_status + r.reset + r.timeout + r.connection_error;
        });
      }
    }
  }

 private:
  static constexpr Duration kAskEvery = std::chrono::milliseconds(500);
  struct Counts {
    std::atomic<std::uint64_t> sent{0}, ok{0}, ended{0};
  };
  const ProgressSink& sink_;
  std::vector<Member>& members_;
  const double duration_s_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  const Instant begin_ = Loop::read_clock();
  Instant next_ = begin_;
  bool asked_ = false;
};

struct Pool {
  PoolSpec spec;
  std::vector<Member> members;
};

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
  void cut() override { cut_asked_ = true; }
  void watch(ProgressSink sink) override { sink_ = std::move(sink); }

 private:
  Result<Pool*> find(PoolId id);
  static Status dial(Pool* pool);
  static int connections_up(Pool* pool);
  static Status make_workers(Pool* pool);
  static Status bring_up(Pool* pool);
  static Error not_all_up(Pool* pool, Error why);
  static void cut_workers(Pool* pool);
  static void abort(Pool* pool);

  std::vector<LoopThread*> threads_;
  std::atomic<bool> cut_asked_{false};
  ProgressSink sink_;
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
  HONE_CHECK(check_spec(spec));
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
  HONE_CHECK(check_spec(spec));
  HONE_TRY(Pool * pool, find(id));
  HONE_CHECK(check_ports(pool->spec, spec));
  cut_asked_ = false;
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
  ProgressReports reports(sink_, pool->members, spec.duration_s);
  auto outcomes = gathered->wait(system::seconds(spec.duration_s + spec.drain_limit_s) + kPatience,
                                 [&]() -> Status {
                                   if (cut_asked_) return fail(ErrorKind::kInterrupted, "cut");
                                   reports.look();
                                   return system::check_interrupted();
                                 });
  const bool interrupted = (spec.keep_interrupted || cut_asked_) && !outcomes &&
                           outcomes.error().kind == ErrorKind::kInterrupted;
  if (interrupted) {
    cut_workers(pool);
    outcomes = gathered->wait(system::seconds(spec.drain_limit_s) + kPatience, {});
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

void InProcess::cut_workers(Pool* pool) {
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
