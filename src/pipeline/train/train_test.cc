// The whole stage on a real instrumented server, small enough to be built within the test. What a
// leg decides is tested without processes in judge_leg_test.cc.
#include "pipeline/train/train.h"

#include <gmock/gmock.h>

#include "pipeline/train/tiny_server.h"

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

class TrainTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    built_ = new system::TemporaryFolder;
    system::System system = system::real_system();
    server_ = new std::optional<TinyServer>(TinyServer::build(built_->path(), system));
  }
  static void TearDownTestSuite() {
    delete server_;
    delete built_;
  }
  void SetUp() override {
    if (!*server_) GTEST_SKIP() << "clang-22, llvm-profdata-22 or llvm-strip-22 is not installed";
    use(server().binary);
  }

  static const TinyServer& server() { return **server_; }
  void use(const system::Path& binary) {
    instrumented_.path = binary.string();
    instrumented_.sha256 = *system_.files->sha256(binary);
  }
  Result<std::vector<Leg>> run(const Recipe& recipe) {
    observer_ = {};
    const auto plan = make_plan(recipe, {});
    EXPECT_TRUE(plan);
    TrainingPlace place;
    place.flush_library = server().flush_library.string();
    return train(recipe, *plan, instrumented_, place, server().tools, store_, system_, observer_);
  }

  static system::TemporaryFolder* built_;
  static std::optional<TinyServer>* server_;
  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
  Store store_{folder_ / "s", "default", system_.files.get()};
  BuiltBinary instrumented_;
  RecordingObserver observer_;
};
system::TemporaryFolder* TrainTest::built_ = nullptr;
std::optional<TinyServer>* TrainTest::server_ = nullptr;

TEST_F(TrainTest, LegsAreWholeKeptAndReused) {
  Recipe recipe = server().recipe();
  recipe.shapes[0].share = 3;
  const auto legs = run(recipe);
  ASSERT_TRUE(legs) << describe(legs.error());
  ASSERT_EQ(legs->size(), 3U);
  EXPECT_EQ((*legs)[0].name, "a");
  EXPECT_EQ((*legs)[2].name, "start-up");
  EXPECT_DOUBLE_EQ((*legs)[0].share, 0.75);
  EXPECT_DOUBLE_EQ((*legs)[2].share, 1e-6);
  EXPECT_EQ((*legs)[2].requests, 2U);
  for (const Leg& leg : *legs) {
    EXPECT_GT(leg.requests, 0U) << leg.name;
    EXPECT_GT(leg.total_count, 0U) << leg.name;
    EXPECT_FALSE(leg.reused);
    ASSERT_FALSE(leg.profiles.empty());
    for (const std::string& file : leg.profiles) {
      EXPECT_TRUE(system::Path(file).is_absolute());
      EXPECT_GT(*system_.files->size(file), 0U) << file;
    }
  }
  EXPECT_GT((*legs)[0].cpu_us_per_request, 0);
  EXPECT_GT(observer_.progressed, 0);

  auto again = run(recipe);
  ASSERT_TRUE(again) << describe(again.error());
  for (std::size_t i = 0; i < legs->size(); ++i) {
    EXPECT_TRUE((*again)[i].reused);
    EXPECT_EQ((*again)[i].profiles, (*legs)[i].profiles);
  }
  EXPECT_EQ(observer_.lines.size(), 2U);
  EXPECT_THAT(observer_.lines[0], HasSubstr("leg a: reused"));

  // A share changes weights, not legs; a path redoes its leg alone and says so.
  recipe.shapes[0].share = 1;
  recipe.shapes[1].path = "/b2";
  again = run(recipe);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_TRUE((*again)[0].reused);
  EXPECT_FALSE((*again)[1].reused);
  EXPECT_THAT(observer_.lines,
              testing::Contains("leg b: again, since shape.path: \"/b\" -> \"/b2\""));

  // A file that somebody removed is made again.
  ASSERT_TRUE(system_.files->remove_all((*again)[0].profiles[0]));
  again = run(recipe);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_FALSE((*again)[0].reused);
}

TEST_F(TrainTest, ACommandOfTheUsersMayRunALeg) {
  Recipe recipe = server().recipe();
  recipe.shapes.resize(1);
  subject::Generator generator;
  generator.command = {"python3",
                       "-c",
                       "import sys, urllib.request as u\n"
                       "ok = sum(u.urlopen(sys.argv[1]).status == 200 for _ in range(20))\n"
                       "print(ok, 'of', sys.argv[2:])",
                       "{url}",
                       "{seconds}",
                       "{connections}"};
  generator.answers = "(\\d+) of \\['1', '4'\\]";
  recipe.shapes[0].generator = generator;
  const auto legs = run(recipe);
  ASSERT_TRUE(legs) << describe(legs.error());
  EXPECT_EQ((*legs)[0].requests, 20U);
  EXPECT_GT((*legs)[0].total_count, 0U);
  EXPECT_GT((*legs)[0].cpu_us_per_request, 0);

  recipe.shapes[0].generator->answers = "(\\d+) succeeded";
  const auto uncounted = run(recipe);
  ASSERT_FALSE(uncounted);
  EXPECT_EQ(uncounted.error().kind, ErrorKind::kLegFailed);
  EXPECT_THAT(uncounted.error().log_file, HasSubstr("generator.log"));
}

TEST_F(TrainTest, EveryProcessLeavesItsProfile) {
  Recipe recipe = server().recipe("fork");
  recipe.shapes.resize(1);
  const auto legs = run(recipe);
  ASSERT_TRUE(legs) << describe(legs.error());
  // The parent, which only waits, and the worker.
  EXPECT_GE((*legs)[0].profiles.size(), 2U);
}

TEST_F(TrainTest, WrongAnswersFailTheLeg) {
  const auto legs = run(server().recipe("503"));
  ASSERT_FALSE(legs);
  EXPECT_EQ(legs.error().kind, ErrorKind::kLegFailed);
  EXPECT_THAT(legs.error().what, HasSubstr("most often 503"));
  EXPECT_THAT(legs.error().doing, HasSubstr("training leg a"));
  EXPECT_NE(legs.error().log_file, "");
  EXPECT_TRUE(system_.files->exists(legs.error().log_file));
}

TEST_F(TrainTest, ASubjectThatDiesIsNamed) {
  const auto legs = run(server().recipe("dies"));
  ASSERT_FALSE(legs);
  EXPECT_EQ(legs.error().kind, ErrorKind::kSubjectDied);
  EXPECT_THAT(legs.error().what, HasSubstr("exit status 3"));
}

TEST_F(TrainTest, AStrippedBinaryIsRefusedWithItsReason) {
  use(server().stripped);
  const auto legs = run(server().recipe());
  ASSERT_FALSE(legs);
  EXPECT_EQ(legs.error().kind, ErrorKind::kLegFailed);
  EXPECT_THAT(legs.error().what, HasSubstr("stripped of its symbol table"));
}

TEST_F(TrainTest, AServerThatMustBeKilledKeepsItsProfile) {
  Recipe recipe = server().recipe("stubborn");
  recipe.shapes.resize(1);
  recipe.server.stop.limit_s = 0.2;
  const auto legs = run(recipe);
  ASSERT_TRUE(legs) << describe(legs.error());
  EXPECT_GT((*legs)[0].total_count, 0U);
  ASSERT_EQ(observer_.findings.size(), 1U);
  EXPECT_EQ(observer_.findings[0].id, "train.killed");
  // The finding belongs to the leg: it is told again when the leg is reused.
  ASSERT_TRUE(run(recipe));
  EXPECT_EQ(observer_.findings.size(), 1U);
}

TEST_F(TrainTest, MissingLibrary) {
  const Recipe recipe = server().recipe();
  const auto plan = make_plan(recipe, {});
  TrainingPlace place;
  place.flush_library = (folder_ / "none.so").string();
  const auto legs =
      train(recipe, *plan, instrumented_, place, server().tools, store_, system_, observer_);
  ASSERT_FALSE(legs);
  EXPECT_EQ(legs.error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace hone::pipeline
