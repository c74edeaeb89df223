#include "pipeline/train/external_load.h"

#include <gmock/gmock.h>

#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

subject::Generator by_pattern(const char* answers, const char* failures = "") {
  subject::Generator generator;
  generator.answers = answers;
  generator.failures = failures;
  return generator;
}

// What h2load 1.52 and wrk 4.1 print.
const char kH2load[] =
    "finished in 2.00s, 8000.00 req/s, 33.04MB/s\n"
    "requests: 16000 total, 16016 started, 16000 done, 15990 succeeded, 10 failed, 0 errored, 0 "
    "timeout\n";
const char kWrk[] =
    "Running 1s test @ http://127.0.0.1:9080/4k\n  1 threads and 16 connections\n"
    "  48611 requests in 1.00s, 203.86MB read\n  Non-2xx or 3xx responses: 7\n";

TEST(CountAnswersTest, ReadsWhatGeneratorsPrint) {
  EXPECT_EQ(*count_answers(by_pattern("(\\d+) succeeded"), kH2load), 15990U);
  EXPECT_EQ(*count_answers(by_pattern("(\\d+) requests in"), kWrk), 48611U);
  EXPECT_EQ(*count_answers(by_pattern("ok ([0-9,]+)"), "ok 12\nok 1,234,567\n"), 1'234'567U);
  subject::Generator json;
  json.answers_json = "/statusCodeDistribution/200";
  EXPECT_EQ(*count_answers(json, "warming up\n{\"statusCodeDistribution\": {\"200\": 41}}"), 41U);
  EXPECT_EQ(*count_answers(json, "{not this}\n{\"statusCodeDistribution\": {\"200\": 41}}\ndone\n"),
            41U);
}

TEST(CountAnswersTest, FailuresFailTheLeg) {
  const auto h2load = count_answers(by_pattern("(\\d+) succeeded", "(\\d+) failed"), kH2load);
  ASSERT_FALSE(h2load);
  EXPECT_EQ(h2load.error().kind, ErrorKind::kLegFailed);
  EXPECT_THAT(h2load.error().what, HasSubstr("10 of its requests failed"));
  EXPECT_FALSE(count_answers(by_pattern("(\\d+) requests in", "responses: (\\d+)"), kWrk));
  // wrk prints that line only when there are such answers.
  EXPECT_TRUE(count_answers(by_pattern("(\\d+) requests in", "responses: (\\d+)"),
                            "  48611 requests in 1.00s\n"));
}

TEST(CountAnswersTest, AnOutputWithoutACountIsAnError) {
  subject::Generator json;
  json.answers_json = "/ok";
  for (const char* output : {"", "no object", "{\"ok\": -1}", "{\"ok\": \"7\"}", "{\"bad\": 1}"}) {
    const auto count = count_answers(json, output);
    ASSERT_FALSE(count) << output;
    EXPECT_THAT(count.error().next, HasSubstr("answers_json")) << output;
  }
  EXPECT_FALSE(count_answers(by_pattern("(\\w+) succeeded"), "all succeeded"));
  EXPECT_FALSE(count_answers(by_pattern("(\\d+) succeeded"), "0 succeeded"));
  EXPECT_FALSE(count_answers(by_pattern("(\\d+) succeeded"), "99999999999999999999 succeeded"));
}

TEST(RunExternalLoadTest, ACommandThatFailsIsNamedWithItsLog) {
  const system::TemporaryFolder folder;
  system::System system = system::real_system();
  ExternalLoad load;
  load.log = folder / "generator.log";
  load.command = {"sh", "-c", "echo cannot connect >&2; exit 3"};
  const auto failed = run_external_load(load, by_pattern("(\\d+) ok"), system, [](double) {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kLegFailed);
  EXPECT_THAT(failed.error().what, HasSubstr("sh: exit status 3"));
  EXPECT_EQ(failed.error().log_file, load.log.string());
  EXPECT_EQ(*system.files->read(load.log), "cannot connect\n");

  load.command = {"sh", "-c", "echo 12 ok"};
  load.log = folder / "second.log";
  EXPECT_EQ(*run_external_load(load, by_pattern("(\\d+) ok"), system, [](double) {}), 12U);
}

}  // namespace
}  // namespace hone::pipeline
