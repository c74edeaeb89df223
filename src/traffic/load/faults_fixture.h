// For tests: one slice of load against a server that draws every fault at random, and what must
// agree between the two.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "traffic/load/fault_server.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

using Names = std::map<std::string, std::uint64_t>;

inline std::uint64_t total(const Names& names) {
  return std::accumulate(names.begin(), names.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
}

inline std::string listed(const Names& names) {
  std::string text;
  for (const auto& [name, count] : names) text += "  " + name + ": " + std::to_string(count) + "\n";
  return text;
}

struct Under {
  SliceResult result;
  FaultCounts server;
};

// One slice on a thread of its own against a server on another one.
template <typename Server>
Under run_under_faults(wire::Protocol protocol, std::uint64_t seed, bool silent) {
  const auto far = *system::net::LoopThread::start({});
  const auto near = *system::net::LoopThread::start({});
  std::optional<Server> server;
  far->call([&] { server.emplace(&far->loop(), seed, silent); });
  PoolSpec pool;
  pool.target.address = server->address();
  pool.target.protocol = protocol;
  pool.target.tls = protocol == wire::Protocol::kHttp3;
  pool.target.verify = false;
  pool.connections = protocol == wire::Protocol::kHttp1 ? 16 : 4;
  pool.streams = 8;
  // The silent ones are given up soon; the others must not be, however busy the machine is.
  pool.timeout_s = silent ? 0.2 : 10;
  pool.requests.assign(2, {});
  pool.requests[0].request.authority = pool.requests[1].request.authority = "test";
  pool.requests[0].share = 3;
  pool.requests[1].request.method = "POST";
  pool.requests[1].request.body.assign(20'000, 'b');
  if (protocol == wire::Protocol::kHttp1) {
    pool.requests.push_back(pool.requests[0]);
    pool.requests[2].request.method = "HEAD";
  }
  SliceSpec slice;
  slice.rate = 3000;
  slice.duration_s = 1;
  slice.seed = seed;
  slice.drain_limit_s = 20;
  const auto session = make_in_process(near.get());
  Under under;
  const auto id = session->connect(pool);
  EXPECT_TRUE(id) << describe(id.error());
  if (id) {
    auto result = session->slice(*id, slice);
    EXPECT_TRUE(result) << describe(result.error());
    if (result) under.result = *std::move(result);
    session->close(*id);
  }
  far->call([&] {
    under.server = server->counts();
    server.reset();
  });
  return under;
}

inline void check_counts(const Under& under, bool silent) {
  const SliceResult& r = under.result;
  SCOPED_TRACE("failures:\n" + listed(r.failures) + "connections:\n" +
               listed(r.connection_failures) + "drawn:\n" + listed(under.server.drawn));
  EXPECT_TRUE(check_identities(r));
  EXPECT_EQ(r.scheduled, 3000U);
  EXPECT_GT(r.ok, 1000U);
  EXPECT_EQ(r.unfinished, 0U);
  // Each answer that counts was sent whole. One that was sent whole and does not count came after
  // its request had been given up.
  const std::uint64_t whole = total(under.server.whole);
  EXPECT_GE(whole, r.ok + r.bad_status);
  EXPECT_LE(whole, r.ok + r.bad_status + r.timeout);
  if (!silent) {
    EXPECT_EQ(r.timeout + r.expired, 0U);
    EXPECT_EQ(under.server.whole, r.status);
  }
  EXPECT_LE(under.server.requests, r.sent + r.resent);
  EXPECT_GE(under.server.requests + r.connection_error + r.reset + r.timeout, r.sent);
}

inline void expect_names(const Names& names, const std::set<std::string>& wanted,
                         const Under& under) {
  for (const std::string& name : wanted) {
    EXPECT_TRUE(names.contains(name)) << name << " is not among:\n"
                                      << listed(names) << "drawn:\n"
                                      << listed(under.server.drawn);
  }
}

inline constexpr std::uint64_t kSeeds[] = {1, 2};

}  // namespace hone::traffic::load
