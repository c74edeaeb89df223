// Only what is too much on a worker is dialled again, and lands on any worker: where the kernel
// deals connections by hash, half of the surplus is gone after each try with two workers. Dialling
// all of them again would need to be lucky: 16 connections fall evenly on four workers once in 68.
//
// A server whose workers race to accept (nginx without reuseport) may stay uneven for ever; that is
// its own way, and for the caller to judge.
#include "subject/worker_spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace hone::subject {
namespace {

// For each worker. The last connection too many finds its place with the chance of one in the
// number of workers: 20 tries for each fail once in e^20.
constexpr int kTriesPerWorker = 20;

// A connection is up at the client before the server has accepted it, which may be with its first
// request only (TCP_DEFER_ACCEPT, as in nghttpx): each is asked once, within this time.
constexpr double kAskS = 0.05;
constexpr system::Duration kAcceptLimit = std::chrono::seconds(1);
constexpr system::Duration kAcceptLook = std::chrono::milliseconds(5);

}  // namespace

bool is_even(const WorkerSpread& spread) {
  return spread.known() && spread.connections.front() - spread.connections.back() <= 1;
}

double off_fair(const WorkerSpread& spread) {
  if (!spread.known()) return 0;
  int all = 0;
  for (const int count : spread.connections) all += count;
  const double fair = static_cast<double>(all) / static_cast<double>(spread.connections.size());
  const double most = std::abs(spread.connections.front() - fair);
  const double least = std::abs(spread.connections.back() - fair);
  return fair > 0 ? std::max(most, least) / fair : 0;
}

std::string to_string(const WorkerSpread& spread) {
  if (!spread.known()) return "cannot tell: " + spread.unknown;
  std::vector<std::string> counts;
  for (const int count : spread.connections) counts.push_back(std::to_string(count));
  return join(counts, " + ");
}

std::string why_unknowable(const traffic::load::Target& target) {
  if (target.protocol == traffic::wire::Protocol::kHttp3) {
    return "HTTP/3 connections have no sockets of their own at a server";
  }
  if (target.address.host.starts_with("unix:"))
    return "connections over a Unix socket have no ports";
  return "";
}

WorkerSpreader::WorkerSpreader(traffic::load::LoadSession* load, int workers, Holders holders,
                               system::Clock* clock)
    : load_(load), workers_(workers), holders_(std::move(holders)), clock_(clock) {}

Result<WorkerSpreader::Seen> WorkerSpreader::look(traffic::load::PoolId pool,
                                                  const std::vector<int>& redial) {
  HONE_TRY(traffic::load::PoolState state, load_->spread(pool, redial));
  std::map<system::Holder, std::vector<int>> held;
  std::size_t missing = 0;
  bool asked = false;
  const system::Instant limit = clock_->now() + kAcceptLimit;
  while (true) {
    const auto read = holders_();
    if (!read) {  // another user's server: no reason to end a run
      Seen seen;
      seen.spread.unknown = read.error().what;
      return seen;
    }
    const auto& holders = *read;
    held.clear();
    missing = 0;
    for (std::size_t i = 0; i < state.local_ports.size(); ++i) {
      const auto holder = holders.find(state.local_ports[i]);
      if (holder == holders.end()) {
        ++missing;
      } else {
        held[holder->second].push_back(static_cast<int>(i));
      }
    }
    if (missing == 0 || clock_->now() >= limit) break;
    if (!std::exchange(asked, true)) {
      HONE_CHECK(ask_once(pool, state.local_ports.size()));
      HONE_TRY(state, load_->spread(pool, {}));  // what was down is up now, at another port
    }
    clock_->sleep(kAcceptLook);
  }
  Seen seen;
  if (missing > 0) {
    seen.spread.unknown = std::to_string(missing) + " of " +
                          std::to_string(state.local_ports.size()) +
                          " connections are held by no process of the server";
    return seen;
  }
  if (held.size() > static_cast<std::size_t>(workers_)) {
    seen.spread.unknown = std::to_string(held.size()) +
                          " parts of the server hold connections, and it has " +
                          std::to_string(workers_) + (workers_ == 1 ? " worker" : " workers");
    return seen;
  }
  std::vector<std::vector<int>> workers(static_cast<std::size_t>(workers_));
  std::size_t next = 0;
  for (auto& [holder, connections] : held) workers[next++] = std::move(connections);
  std::stable_sort(workers.begin(), workers.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const std::size_t quota = state.local_ports.size() / workers.size();
  const std::size_t with_one_more = state.local_ports.size() % workers.size();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    seen.spread.connections.push_back(static_cast<int>(workers[i].size()));
    const std::size_t fair = quota + (i < with_one_more ? 1 : 0);
    for (std::size_t k = fair; k < workers[i].size(); ++k) seen.surplus.push_back(workers[i][k]);
  }
  return seen;
}

Status WorkerSpreader::ask_once(traffic::load::PoolId pool, std::size_t connections) {
  traffic::load::SliceSpec slice;
  slice.duration_s = kAskS;
  slice.rate = static_cast<double>(connections) / kAskS;
  slice.arrivals.kind = traffic::load::Arrivals::Kind::kEven;
  HONE_TRY(const traffic::load::SliceResult result, load_->slice(pool, slice));
  merge(&asked_, result);
  return {};
}

Result<WorkerSpread> WorkerSpreader::read(traffic::load::PoolId pool) {
  HONE_TRY(Seen seen, look(pool, {}));
  return std::move(seen.spread);
}

Result<WorkerSpread> WorkerSpreader::even_out(traffic::load::PoolId pool) {
  int redialled = 0;
  std::vector<int> redial;
  for (int attempt = 0;; ++attempt) {
    HONE_TRY(Seen seen, look(pool, redial));
    redialled += static_cast<int>(redial.size());
    seen.spread.redialled = redialled;
    if (!seen.spread.known() || is_even(seen.spread) || attempt == kTriesPerWorker * workers_) {
      return std::move(seen.spread);
    }
    redial = std::move(seen.surplus);
  }
}

}  // namespace hone::subject
