#include "pipeline/profile/profile.h"

#include <gmock/gmock.h>

#include "pipeline/train/tiny_server.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Leg leg(const std::string& name, std::uint64_t requests, double share,
        std::uint64_t total_count = 1000) {
  Leg made;
  made.name = name;
  made.requests = requests;
  made.share = share;
  made.total_count = total_count;
  return made;
}

TEST(LegWeightsTest, AreSharePerRequest) {
  // The same share with ten times the requests: a tenth of the weight for each request.
  EXPECT_THAT(leg_weights({leg("a", 1000, 0.5), leg("b", 10'000, 0.5)}), ElementsAre(1000, 100));
  EXPECT_THAT(leg_weights({leg("a", 1000, 0.75), leg("b", 1000, 0.25)}), ElementsAre(300, 100));
  EXPECT_THAT(leg_weights({leg("a", 7, 0.2)}), ElementsAre(100));
}

TEST(LegWeightsTest, StartUpWeighsAsOneStartPerManyRequests) {
  const auto weights = leg_weights({leg("a", 40'000, 1), leg("start-up", 2, 1e-6)});
  // A million requests of the leg against one start: 25 times its run, half of two starts.
  EXPECT_NEAR(static_cast<double>(weights[0]) / static_cast<double>(weights[1]), 25 / 0.5, 0.01);
  EXPECT_EQ(weights[1], 100U);
}

TEST(LegWeightsTest, NeverOverflowTheSum) {
  const std::uint64_t huge = 1ULL << 61;
  for (const auto& legs :
       {std::vector<Leg>{leg("a", 1000, 0.5, huge), leg("b", 10, 0.5, huge / 4)},
        std::vector<Leg>{leg("a", 1'000'000'000, 1e-6, 1), leg("b", 1, 1, 1ULL << 40)},
        std::vector<Leg>{leg("a", 1, 1, 1ULL << 55), leg("b", 1, 1e-9, 1)}}) {
    long double sum = 0;
    const auto weights = leg_weights(legs);
    for (std::size_t i = 0; i < legs.size(); ++i) {
      EXPECT_GE(weights[i], 1U);
      sum += static_cast<long double>(weights[i]) * static_cast<long double>(legs[i].total_count);
    }
    EXPECT_LT(sum, 9223372036854775808.0L);
  }
}

TEST(LegWeightsTest, LegsWithoutRequestsWeighNothing) {
  EXPECT_THAT(leg_weights({leg("a", 0, 1), leg("b", 10, 1)}), ElementsAre(0, 100));
  EXPECT_THAT(leg_weights({leg("a", 0, 1)}), ElementsAre(0));
  EXPECT_TRUE(leg_weights({}).empty());
}

TEST(OnlyInOneTest, CountsFunctionsOfASingleLeg) {
  EXPECT_THAT(only_in_one({{"f", "g"}, {"g", "h", "i"}, {}}), ElementsAre(1, 2, 0));
}

TEST(ReadableFunctionTest, DemanglesAndDropsTheFile) {
  EXPECT_EQ(readable_function("s.cc;_ZL11local_thingi"), "local_thing(int)");
  EXPECT_EQ(readable_function("_ZN1D1fEi"), "D::f(int)");
  EXPECT_EQ(readable_function("main"), "main");
  EXPECT_EQ(readable_function("i"), "i");  // not the type that demangles to "int"
}

// Real profiles of a real server, made once.
class MergeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    built_ = new system::TemporaryFolder;
    system::System system = system::real_system();
    server_ = new std::optional<TinyServer>(TinyServer::build(built_->path(), system));
    legs_ = new std::vector<Leg>;
    if (!*server_) return;
    const TinyServer& server = **server_;
    const Recipe recipe = server.recipe();
    BuiltBinary instrumented;
    instrumented.path = server.binary.string();
    TrainingPlace place;
    place.flush_library = server.flush_library.string();
    Store store(*built_ / "s", "default", system.files.get());
    RecordingObserver observer;
    auto legs = train(recipe, *make_plan(recipe, {}), instrumented, place, server.tools, store,
                      system, observer);
    ASSERT_TRUE(legs) << describe(legs.error());
    *legs_ = *std::move(legs);
  }
  static void TearDownTestSuite() {
    delete legs_;
    delete server_;
    delete built_;
  }
  void SetUp() override {
    if (!*server_) GTEST_SKIP() << "clang-22, llvm-profdata-22 or llvm-strip-22 is not installed";
    ASSERT_EQ(legs_->size(), 3U);
  }
  Result<MergedProfile> merge(const std::vector<Leg>& legs) {
    observer_ = {};
    return merge_profiles(legs, (*server_)->tools, store_, system_, observer_);
  }

  static system::TemporaryFolder* built_;
  static std::optional<TinyServer>* server_;
  static std::vector<Leg>* legs_;
  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
  Store store_{folder_ / "s", "default", system_.files.get()};
  RecordingObserver observer_;
};
system::TemporaryFolder* MergeTest::built_ = nullptr;
std::optional<TinyServer>* MergeTest::server_ = nullptr;
std::vector<Leg>* MergeTest::legs_ = nullptr;

TEST_F(MergeTest, KnowsWhatEachLegReaches) {
  const auto merged = merge(*legs_);
  ASSERT_TRUE(merged) << describe(merged.error());
  EXPECT_TRUE(system_.files->exists(merged->path));
  EXPECT_EQ(system::Path(merged->path).filename(), merged->sha256.substr(0, 16) + ".profdata");
  EXPECT_EQ(*system_.files->sha256(merged->path), merged->sha256);
  EXPECT_EQ(merged->functions, 5U);  // main, serve, only_a, only_b, only_start
  EXPECT_EQ(merged->functions_covered, 5U);
  EXPECT_EQ(merged->call_sites, 1U);
  EXPECT_EQ(merged->call_sites_resolved, 1U);
  ASSERT_EQ(merged->legs.size(), 3U);
  for (const LegCoverage& one : merged->legs) {
    EXPECT_EQ(one.only_here, 1U) << one.name;  // only_a, only_b, only_start
    EXPECT_GE(one.weight, 100U);
    EXPECT_GT(one.total_count, 0U);
  }
  ASSERT_FALSE(merged->hottest.empty());
  EXPECT_THAT(merged->hottest[0].first, HasSubstr("only_b"));
  ASSERT_EQ(merged->overlap.size(), 3U);
  EXPECT_DOUBLE_EQ(merged->overlap[0][0], 1);
  EXPECT_DOUBLE_EQ(merged->overlap[0][1], merged->overlap[1][0]);
  EXPECT_LT(merged->overlap[0][1], 0.9);
}

TEST_F(MergeTest, IsReusedAndDependsOnShares) {
  const auto first = merge(*legs_);
  ASSERT_TRUE(first) << describe(first.error());
  const auto again = merge(*legs_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->reused);
  EXPECT_EQ(again->path, first->path);
  std::vector<Leg> changed = *legs_;
  changed[0].share = 0.9;
  const auto other = merge(changed);
  ASSERT_TRUE(other) << describe(other.error());
  EXPECT_FALSE(other->reused);
  EXPECT_NE(other->sha256, first->sha256);
  ASSERT_FALSE(observer_.lines.empty());
  EXPECT_THAT(observer_.lines[0], HasSubstr("leg a.share: 0.5 -> 0.9"));
}

TEST_F(MergeTest, TheSameInputsGiveTheSameBytes) {
  const auto first = merge(*legs_);
  ASSERT_TRUE(first);
  Store other(folder_ / "other", "default", system_.files.get());
  const auto second = merge_profiles(*legs_, (*server_)->tools, other, system_, observer_);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->sha256, second->sha256);
}

TEST_F(MergeTest, BadProfilesAreNamedWithTheirLeg) {
  const std::string whole = *system_.files->read((*legs_)[1].profiles[0]);
  std::string foreign = whole;
  foreign[8] = 99;  // the format's version
  std::string inconsistent = whole;
  inconsistent[40] = 1;  // fewer counters than its functions need: only the tool finds that
  const system::Path file = folder_ / "bad.profraw";
  for (const std::string& content :
       {std::string(), whole.substr(0, 100), whole.substr(0, whole.size() / 2),
        std::string(500, 'x'), foreign, inconsistent}) {
    ASSERT_TRUE(system_.files->write(file, content));
    std::vector<Leg> legs = *legs_;
    legs[1].profiles = {file.string()};
    const auto merged = merge(legs);
    ASSERT_FALSE(merged) << content.size();
    EXPECT_EQ(merged.error().kind, ErrorKind::kProfile);
    const std::string said = merged.error().what + merged.error().doing;
    EXPECT_THAT(said, HasSubstr("bad.profraw"));
    EXPECT_THAT(said, HasSubstr("leg b"));
    EXPECT_NE(merged.error().next, "");
  }
  // Two formats in one leg.
  ASSERT_TRUE(system_.files->write(file, foreign));
  std::vector<Leg> legs = *legs_;
  legs[1].profiles.push_back(file.string());
  const auto merged = merge(legs);
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().what, HasSubstr("two compilers"));
}

TEST_F(MergeTest, LegsWithoutProfiles) {
  std::vector<Leg> legs = *legs_;
  legs[0].profiles.clear();
  auto merged = merge(legs);
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().what, HasSubstr("leg a"));
  merged = merge({});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().kind, ErrorKind::kProfile);
}

}  // namespace
}  // namespace hone::pipeline
