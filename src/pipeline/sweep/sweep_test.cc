// A whole sweep over modelled servers: order, repetition, resume, and what becomes of points that
// are spoiled or fail.
#include "pipeline/sweep/sweep.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "pipeline/sweep/judge_point.h"
#include "pipeline/sweep/point_fixture.h"
#include "system/real.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SilentObserver final : public Observer {
 public:
  void stage(const std::string&, double) override {}
  void line(const std::string& text) override { lines.push_back(text); }
  void progress(const std::string&, double, double) override {}
  void finding(const Finding&) override {}
  std::vector<std::string> lines;
};

// Servers with one CPU and a fixed cost per request. Waiting times of a queue with Poisson arrivals
// and fixed service (M/D/1), roughly: p99 is 5 mean waits.
class ModelledServers : public PointSource {
 public:
  explicit ModelledServers(std::vector<double> cost_us) : cost_us_(std::move(cost_us)) {}

  Status begin_pass(const subject::Shape&, double) override {
    ++passes;
    return {};
  }
  Status end_pass() override { return {}; }

  Result<SweepPoint> measure(const PointRequest& request) override {
    if (left == 0) return fail(ErrorKind::kInterrupted, "cut");
    --left;
    SweepPoint point = sound_point(request.arm == 0 ? "A" : "B", request.rate);
    asked.push_back({point.arm, request.rate, request.seed});
    const double cost_us = cost_us_[request.arm];
    const double busy = request.rate * cost_us * 1e-6;
    point.server_busy = std::min(busy, 1.0);
    point.ok = 1000;
    point.cpu_s = cost_us * 1e-3;
    point.load_busy = request.rate * load_us * 1e-6;
    point.in_time = busy < 1 ? 1 : 1 / busy;
    point.latency_us.p99 = cost_us * (1 + 5 * busy / std::max(2 * (1 - busy), 1e-3));
    if (auto spoilt = spoil.find({point.arm, request.rate});
        request.slice_s > 1 && spoilt != spoil.end() && spoilt->second > 0) {
      --spoilt->second;
      point.environment.steal = 0.5;
    }
    if (dead.contains({point.arm, request.rate})) {
      point.standing = Standing::kFailed;
      point.why = "it ended";
    }
    judge_point(&point, {});
    return point;
  }

  struct Asked {
    std::string arm;
    double rate;
    std::uint64_t seed;
    auto operator<=>(const Asked&) const = default;
  };
  std::vector<Asked> asked;
  int passes = 0;
  int left = 1'000'000;  // points until it is cut
  double load_us = 10;
  std::map<std::pair<std::string, double>, int> spoil;  // how often
  std::set<std::pair<std::string, double>> dead;

 private:
  std::vector<double> cost_us_;
};

class SweepOfModels : public testing::Test {
 protected:
  SweepOfModels() : system_(system::real_system()) {
    design_.design.subject = "model";
    design_.design.base.name = "A";
    design_.design.candidates.resize(1);
    design_.design.candidates[0].name = "B";
    design_.design.shapes.resize(1);
    design_.design.shapes[0].name = "h1";
    design_.design.settings.seed = 7;
    design_.settings.rates = {5000, 10'000, 15'000, 20'000, 25'000, 30'000};
  }

  Result<Sweep> run(ModelledServers& servers) {
    Store store(folder_ / "sweep", "seed-7", system_.files.get());
    observer_.lines.clear();
    return run_sweep(design_, store, servers, system_.files.get(), observer_);
  }

  const system::TemporaryFolder folder_;
  system::System system_;
  SweepDesign design_;
  SilentObserver observer_;
};

TEST_F(SweepOfModels, FindsTheCeilingsThatAreThere) {
  ModelledServers servers({50, 40});
  const auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  const ShapeSweep& shape = sweep->shapes.at(0);
  EXPECT_EQ(shape.points.size(), 36u);
  EXPECT_EQ(shape.curves[0].ceiling.rate, 15'000) << "20,000 is the very end of A";
  EXPECT_EQ(shape.curves[1].ceiling.rate, 20'000);
  ASSERT_NE(quoted_ratio(shape.ratios), nullptr);
  EXPECT_NEAR(quoted_ratio(shape.ratios)->ratio.effect, 0.25, 1e-9);
  EXPECT_EQ(servers.passes, 3);
  EXPECT_THAT(sweep->findings, IsEmpty());
}

TEST_F(SweepOfModels, VisitsEveryPointOnceAPassInAnOrderOfItsOwn) {
  ModelledServers servers({50, 40});
  ASSERT_TRUE(run(servers));
  ASSERT_EQ(servers.asked.size(), 36u);
  std::vector<std::vector<std::pair<std::string, double>>> passes(3);
  for (std::size_t i = 0; i < 36; ++i)
    passes[i / 12].emplace_back(servers.asked[i].arm, servers.asked[i].rate);
  EXPECT_NE(passes[0], passes[1]);
  EXPECT_NE(passes[1], passes[2]);
  for (auto& pass : passes) {
    EXPECT_FALSE(std::is_sorted(pass.begin(), pass.end()));
    EXPECT_EQ(std::set(pass.begin(), pass.end()).size(), 12u);
  }
}

TEST_F(SweepOfModels, GivesBothArmsTheSameArrivalsAtARateOfAPass) {
  ModelledServers servers({50, 40});
  ASSERT_TRUE(run(servers));
  std::map<double, std::map<std::uint64_t, int>> seeds;
  for (const auto& asked : servers.asked) ++seeds[asked.rate][asked.seed];
  std::set<std::uint64_t> all;
  for (const auto& [rate, counts] : seeds) {
    EXPECT_EQ(counts.size(), 3u) << "one a pass";
    for (const auto& [seed, count] : counts) {
      EXPECT_EQ(count, 2);
      all.insert(seed);
    }
  }
  EXPECT_EQ(all.size(), 18u);
}

TEST_F(SweepOfModels, GoesOnWhereItWasCut) {
  ModelledServers whole({50, 40});
  ASSERT_TRUE(run(whole));
  ASSERT_TRUE(system_.files->remove_all(folder_ / "sweep"));
  std::vector<ModelledServers::Asked> asked;
  for (int cut = 0; cut < 40; cut += 5) {
    ModelledServers servers({50, 40});
    servers.left = 5;
    const auto sweep = run(servers);
    EXPECT_EQ(sweep.has_value(), cut >= 35) << "36 points, five a run";
    asked.insert(asked.end(), servers.asked.begin(), servers.asked.end());
  }
  EXPECT_EQ(asked, whole.asked) << "the same points in the same order, none of them twice";
  ModelledServers again({50, 40});
  const auto sweep = run(again);
  ASSERT_TRUE(sweep);
  EXPECT_THAT(again.asked, IsEmpty());
  EXPECT_EQ(again.passes, 0) << "nothing is started for it";
  EXPECT_EQ(sweep->shapes[0].points.size(), 36u);
}

TEST_F(SweepOfModels, MeasuresNothingAgainForMoreRatesOrRepeats) {
  ModelledServers servers({50, 40});
  ASSERT_TRUE(run(servers));
  design_.settings.repeats = 4;
  design_.settings.rates.push_back(35'000);
  ModelledServers more({50, 40});
  const auto sweep = run(more);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(more.asked.size(), 12u + 2 * 4u) << "a fourth pass of six rates, four of the new one";
  // And what is no longer asked for does not count.
  design_.settings.rates = {5000, 10'000};
  ModelledServers fewer({50, 40});
  EXPECT_EQ(run(fewer)->shapes[0].points.size(), 2u * 2 * 4);
  EXPECT_THAT(fewer.asked, IsEmpty());
}

TEST_F(SweepOfModels, JudgesKeptPointsByTheLimitOfTheDay) {
  ModelledServers servers({50, 40});
  ASSERT_TRUE(run(servers));
  design_.settings.p99_limit_ms = 0.2;  // A's p99: 92 us at 5,000/s, 175 at 10,000, 425 at 15,000
  ModelledServers again({50, 40});
  const auto sweep = run(again);
  ASSERT_TRUE(sweep);
  EXPECT_THAT(again.asked, IsEmpty());
  EXPECT_EQ(sweep->shapes[0].curves[0].ceiling.rate, 10'000);
}

TEST_F(SweepOfModels, MeasuresAgainWhereAnArmIsAnother) {
  ModelledServers servers({50, 40});
  ASSERT_TRUE(run(servers));
  design_.design.candidates[0].sha256 = "another";
  ModelledServers again({50, 30});
  ASSERT_TRUE(run(again));
  EXPECT_EQ(again.asked.size(), 36u);
  EXPECT_THAT(observer_.lines, testing::Contains(HasSubstr("sha256")));
}

TEST_F(SweepOfModels, RepeatsASpoiledPointAndKeepsBoth) {
  ModelledServers servers({50, 40});
  servers.spoil[{"A", 10'000}] = 2;
  const auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(servers.asked.size(), 38u);
  EXPECT_EQ(sweep->shapes[0].points.size(), 38u);
  EXPECT_EQ(sweep->shapes[0].curves[0].points[1].spoiled, 2);
  EXPECT_EQ(sweep->shapes[0].curves[0].ceiling.rate, 15'000);
  EXPECT_THAT(sweep->findings, IsEmpty());
  // The repetition carries the same arrivals.
  std::set<std::uint64_t> seeds;
  for (const auto& asked : servers.asked)
    if (asked.arm == "A" && asked.rate == 10'000) seeds.insert(asked.seed);
  EXPECT_EQ(seeds.size(), 3u);
}

TEST_F(SweepOfModels, GivesASpoiledPointUpAfterThreeAttempts) {
  ModelledServers servers({50, 40});
  servers.spoil[{"A", 10'000}] = 3;
  auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->shapes[0].curves[0].points[1].repeats, 2);
  EXPECT_EQ(sweep->shapes[0].curves[0].ceiling.rate, 5000);
  EXPECT_FALSE(sweep->shapes[0].curves[0].ceiling.is_own());
  ASSERT_EQ(sweep->findings.size(), 1u);
  EXPECT_EQ(sweep->findings[0].id, "sweep.spoiled");
  // Whoever quietened the machine and runs again measures that one point.
  ModelledServers quiet({50, 40});
  sweep = run(quiet);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(quiet.asked.size(), 1u);
  EXPECT_EQ(sweep->shapes[0].curves[0].ceiling.rate, 15'000);
  EXPECT_THAT(sweep->findings, IsEmpty());
}

TEST_F(SweepOfModels, GivesUpOnAMachineThatSpoilsMoreThanAFifth) {
  ModelledServers servers({50, 40});
  servers.spoil[{"A", 5000}] = servers.spoil[{"A", 10'000}] = 9;
  EXPECT_TRUE(run(servers)) << "6 of 36";
  ASSERT_TRUE(system_.files->remove_all(folder_ / "sweep"));
  servers.asked.clear();
  servers.spoil[{"A", 5000}] = servers.spoil[{"A", 10'000}] = servers.spoil[{"B", 5000}] = 9;
  const auto unfit = run(servers);
  ASSERT_FALSE(unfit) << "the eighth of 36";
  EXPECT_EQ(unfit.error().kind, ErrorKind::kMachineUnfit);
  EXPECT_THAT(unfit.error().what, HasSubstr("8 of 36"));
  const std::size_t finished = servers.asked.size() - 3 * 8u;
  ModelledServers quiet({50, 40});
  EXPECT_TRUE(run(quiet));
  EXPECT_EQ(quiet.asked.size(), 36 - finished) << "finished points were kept";
}

TEST_F(SweepOfModels, KeepsAFailureAsTheResultAndAsksAgainInTheNextRun) {
  ModelledServers servers({50, 40});
  servers.dead.insert({"B", 20'000});
  auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(servers.asked.size(), 36u) << "a failure is not repeated";
  EXPECT_EQ(sweep->shapes[0].curves[1].ceiling.rate, 15'000);
  EXPECT_EQ(sweep->shapes[0].curves[1].ceiling.ended_by, Standing::kFailed);
  EXPECT_THAT(observer_.lines, testing::Contains(HasSubstr("failed: it ended")));
  ModelledServers mended({50, 40});
  sweep = run(mended);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(mended.asked.size(), 3u);
  EXPECT_EQ(sweep->shapes[0].curves[1].ceiling.rate, 20'000);
}

TEST_F(SweepOfModels, FindsTheRatesAndKeepsThem) {
  design_.settings.rates.clear();
  ModelledServers servers({50, 40});
  auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  const ShapeSweep& shape = sweep->shapes.at(0);
  ASSERT_EQ(shape.found.size(), 2u);
  EXPECT_NEAR(shape.found[0].rate, 19'000, 1000);
  EXPECT_NEAR(shape.found[1].rate, 24'000, 1500);
  EXPECT_EQ(shape.rates.size(), 12u);
  EXPECT_GT(shape.rates.back(), 1.1 * shape.found[1].rate);
  for (const ArmCurve& curve : shape.curves) EXPECT_TRUE(curve.ceiling.is_own());
  ModelledServers again({50, 40});
  sweep = run(again);
  ASSERT_TRUE(sweep);
  EXPECT_THAT(again.asked, IsEmpty());
  EXPECT_EQ(sweep->shapes[0].found.size(), 2u);
  // Another limit is another search.
  design_.settings.p99_limit_ms = 20;
  ModelledServers other({50, 40});
  ASSERT_TRUE(run(other));
  EXPECT_FALSE(other.asked.empty());
}

TEST_F(SweepOfModels, DoesNotSearchPastTheGenerator) {
  design_.settings.rates.clear();
  ModelledServers servers({5, 4});
  servers.load_us = 40;  // 80 % at 20,000/s, where the servers are hardly busy
  const auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  const ShapeSweep& shape = sweep->shapes.at(0);
  EXPECT_TRUE(shape.found[0].generator_limited);
  EXPECT_LE(shape.rates.back(), 20'000);
  EXPECT_EQ(shape.curves[0].ceiling.rate, shape.rates.back());
  EXPECT_FALSE(shape.curves[0].ceiling.is_own());
}

TEST_F(SweepOfModels, SaysWhatAServerDoesThatHoldsNothing) {
  design_.settings.rates.clear();
  ModelledServers servers({50'000, 50'000});  // p99 is five times the limit at any rate
  const auto sweep = run(servers);
  ASSERT_FALSE(sweep);
  EXPECT_EQ(sweep.error().kind, ErrorKind::kNotReady);
  EXPECT_THAT(sweep.error().what, HasSubstr("p99"));
  EXPECT_THAT(sweep.error().next, HasSubstr("--p99"));
}

TEST_F(SweepOfModels, TakesOneArm) {
  design_.design.candidates.clear();
  ModelledServers servers({50});
  const auto sweep = run(servers);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->shapes[0].curves.size(), 1u);
  EXPECT_THAT(sweep->shapes[0].ratios, IsEmpty());
}

}  // namespace
}  // namespace hone::pipeline
