#include "pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ChooseCpus, GivesTheServerTheLastOnes) {
  std::vector<int> server, load;
  ASSERT_TRUE(choose_cpus({}, 1, {0, 1}, &server, &load));
  EXPECT_THAT(server, ElementsAre(1));
  EXPECT_THAT(load, ElementsAre(0));
  ASSERT_TRUE(choose_cpus({}, 4, {0, 1, 2, 3, 4, 5, 6, 7}, &server, &load));
  EXPECT_THAT(server, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(load, ElementsAre(0));
}

TEST(ChooseCpus, LeavesOneForTheLoadHoweverManyWorkers) {
  std::vector<int> server, load;
  ASSERT_TRUE(choose_cpus({}, 16, {0, 1, 2, 3}, &server, &load));
  EXPECT_THAT(server, ElementsAre(1, 2, 3));
  EXPECT_THAT(load, ElementsAre(0));
}

TEST(ChooseCpus, KeepsToTheRecipe) {
  std::vector<int> server, load;
  Cpus wanted;
  wanted.server = {0};
  ASSERT_TRUE(choose_cpus(wanted, 1, {0, 1}, &server, &load));
  EXPECT_THAT(server, ElementsAre(0));
  EXPECT_THAT(load, ElementsAre(1));
  wanted.load = {0};
  EXPECT_EQ(choose_cpus(wanted, 1, {0, 1}, &server, &load).error().kind, ErrorKind::kRecipe);
  wanted.load = {7};
  EXPECT_EQ(choose_cpus(wanted, 1, {0, 1}, &server, &load).error().kind, ErrorKind::kRecipe);
}

TEST(ChooseCpus, RefusesASingleCpu) {
  std::vector<int> server, load;
  EXPECT_EQ(choose_cpus({}, 1, {0}, &server, &load).error().kind, ErrorKind::kMachineUnfit);
}

TEST(Prepare, RefusesNamesOfRunsThatAreTaken) {
  auto system = system::real_system();
  RunOptions options;
  options.run_name = "store";
  const auto prepared = prepare(options, system);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(prepared.error().what, HasSubstr("'store'"));
}

TEST(ReportAgain, RefusesWhileAnotherWritesThere) {
  const system::TemporaryFolder folder;
  auto system = system::real_system();
  RunOptions options;
  options.work = folder.path();
  Prepared prepared;
  prepared.recipe.subject = "s";
  EXPECT_EQ(report_again(options, prepared, system).error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(system.files->exists(folder / "s"));

  Store store(folder / "s", "default", system.files.get());
  ASSERT_TRUE(
      system.files->write(store.stage_dir("7-report") / "values.json", dump(Json(RunValues{}))));
  auto lock = store.lock();
  ASSERT_TRUE(lock);
  EXPECT_EQ(report_again(options, prepared, system).error().kind, ErrorKind::kLocked);
  lock->reset();
  EXPECT_TRUE(report_again(options, prepared, system));
}

// Rounds without the arms that they are of would make an empty report.
TEST(ReportAgain, RefusesWhatAnotherVersionWrote) {
  const system::TemporaryFolder folder;
  auto system = system::real_system();
  RunOptions options;
  options.work = folder.path();
  Prepared prepared;
  prepared.recipe.subject = "s";
  Store store(folder / "s", "default", system.files.get());
  Json values = RunValues{};
  values["proof"]["rounds"] = {Round{}};
  ASSERT_TRUE(system.files->write(store.stage_dir("7-report") / "values.json", dump(values)));
  const auto report = report_again(options, prepared, system);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().what, HasSubstr("another version"));
}

TEST(ParseStage, KnowsItsStages) {
  EXPECT_EQ(*parse_stage("optimize"), Stage::kOptimize);
  const auto unknown = parse_stage("optimise");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().next.find("optimize"), std::string::npos);
}

}  // namespace
}  // namespace hone::pipeline
