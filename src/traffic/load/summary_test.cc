#include <gtest/gtest.h>

#include "traffic/load/load_session.h"

namespace hone::traffic::load {
namespace {

SliceResult sample() {
  SliceResult r;
  r.target_rate = 100;
  r.achieved_rate = 90;
  r.duration_s = 1;
  r.scheduled = 10;
  r.sent = 8;
  r.missed = r.expired = 1;
  r.ok = 3;
  r.bad_status = r.reset = r.timeout = r.connection_error = r.unfinished = 1;
  r.status = {{"200", 3}, {"503", 1}};
  r.failures = {{"stream-reset", 1}, {"timeout", 1}, {"closed-in-body", 1}};
  r.connection_failures = {{"closed-in-body", 2}};
  r.per_connection_min = 4;
  r.per_connection_max = 6;
  r.client_cpu_s = 80e-6;
  r.client_wakes = 4;
  r.latency.record(1'000'000);
  return r;
}

TEST(SummaryTest, JsonHasTheContractsKeys) {
  const Json json = to_json(sample());
  for (const char* key :
       {"schema", "target_rate", "achieved_rate", "duration_s", "scheduled", "sent", "missed",
        "expired", "blocked", "ok", "bad_status", "reset", "timeout", "connection_error",
        "unfinished", "resent", "connections_made", "bytes_in", "bytes_out"}) {
    EXPECT_TRUE(json.at(key).is_number()) << key;
  }
  EXPECT_EQ(false, json["interrupted"]);
  EXPECT_EQ(3, json["status"]["200"]);
  EXPECT_EQ(1, json["failures"]["closed-in-body"]);
  EXPECT_EQ(2, json["connection_failures"]["closed-in-body"]);
  EXPECT_EQ(4, json["per_connection"]["min"]);
  EXPECT_EQ(6, json["per_connection"]["max"]);
  EXPECT_TRUE(json["handshakes"].contains("full"));
  EXPECT_TRUE(json["handshakes"].contains("resumed"));
  for (const char* key : {"latency_us", "service_us", "lateness_us", "generator_lateness_us"}) {
    for (const char* quantile : {"p50", "p90", "p99", "p999", "max", "mean"}) {
      EXPECT_TRUE(json[key][quantile].is_number()) << key << quantile;
    }
  }
  EXPECT_DOUBLE_EQ(10, json["client_cpu_us_per_request"]);
  EXPECT_DOUBLE_EQ(0.5, json["client_wakes_per_request"]);
}

TEST(SummaryTest, NothingSentIsNotADivisionByZero) {
  const Json json = to_json(SliceResult());
  EXPECT_EQ(0, json["client_cpu_us_per_request"]);
}

TEST(SummaryTest, IdentitiesAreCheckedBothWays) {
  EXPECT_TRUE(check_identities(sample()));
  SliceResult lost = sample();
  ++lost.scheduled;
  EXPECT_EQ(ErrorKind::kInternal, check_identities(lost).error().kind);
  SliceResult without_end = sample();
  --without_end.ok;
  EXPECT_EQ(ErrorKind::kInternal, check_identities(without_end).error().kind);
  SliceResult without_name = sample();
  without_name.failures.erase("timeout");
  EXPECT_EQ(ErrorKind::kInternal, check_identities(without_name).error().kind);
}

TEST(SummaryTest, SlicesInARowAverageTheirRatesOverTime) {
  SliceResult sum;
  merge(&sum, sample());
  SliceResult second = sample();
  second.achieved_rate = 60;
  second.duration_s = 2;
  second.per_connection_min = 9;
  second.per_connection_max = 11;
  merge(&sum, second);
  EXPECT_TRUE(check_identities(sum));
  EXPECT_EQ(20U, sum.scheduled);
  EXPECT_DOUBLE_EQ(100, sum.target_rate);
  EXPECT_DOUBLE_EQ(70, sum.achieved_rate);
  EXPECT_DOUBLE_EQ(3, sum.duration_s);
  EXPECT_EQ(9U, sum.per_connection_min);
  EXPECT_EQ(11U, sum.per_connection_max);
  EXPECT_EQ(6U, sum.status["200"]);
  EXPECT_EQ(2U, sum.failures["timeout"]);
  EXPECT_EQ(4U, sum.connection_failures["closed-in-body"]);
  EXPECT_EQ(2U, sum.latency.count());
}

TEST(SummaryTest, WorkersOfOneSliceAddTheirRates) {
  SliceResult sum = sample();
  SliceResult other = sample();
  other.per_connection_min = 3;
  merge_workers(&sum, other);
  EXPECT_DOUBLE_EQ(100, sum.target_rate);
  EXPECT_DOUBLE_EQ(180, sum.achieved_rate);
  EXPECT_DOUBLE_EQ(1, sum.duration_s);
  EXPECT_EQ(3U, sum.per_connection_min);
  EXPECT_EQ(6U, sum.per_connection_max);
}

TEST(SummaryTest, AWorkerWithNothingScheduledStillHasItsConnections) {
  SliceResult idle;
  SliceResult busy = sample();
  SliceResult sum = idle;
  merge_workers(&sum, busy);
  EXPECT_EQ(0U, sum.per_connection_min);
  EXPECT_EQ(6U, sum.per_connection_max);
  merge_workers(&busy, idle);
  EXPECT_EQ(0U, busy.per_connection_min);
}

}  // namespace
}  // namespace hone::traffic::load
