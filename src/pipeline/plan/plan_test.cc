#include "pipeline/plan/plan.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Recipe make_recipe(int shapes = 2) {
  Recipe recipe;
  recipe.file = "/r/recipe.toml";
  recipe.subject = "proxy";
  for (int i = 0; i < shapes; ++i) {
    subject::Shape shape;
    shape.name = "h1-" + std::to_string(i);
    recipe.shapes.push_back(shape);
  }
  subject::Shape untrained;
  untrained.name = "h2-post";
  untrained.train = false;
  recipe.shapes.push_back(untrained);
  recipe.loads = {{"busy", 0, 0.6, "poisson"}};
  return recipe;
}

double training_s(const Plan& plan) {
  double sum = 0;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::kTrain) sum += step.expected_s;
  }
  return sum;
}

TEST(PlanTest, EveryInputComesFirst) {
  const auto plan = make_plan(make_recipe(), {});
  ASSERT_TRUE(plan);
  std::vector<std::string> seen;
  for (const Step& step : plan->steps) {
    for (const std::string& input : step.inputs) {
      EXPECT_NE(std::find(seen.begin(), seen.end(), input), seen.end()) << step.id;
    }
    seen.push_back(step.id);
  }
  EXPECT_THAT(seen, ElementsAre("build:baseline", "build:instrumented", "train", "merge",
                                "build:pgo-thinlto"));
  for (const PlannedArm& arm : plan->arms) {
    EXPECT_NE(std::find(seen.begin(), seen.end(), arm.build), seen.end()) << arm.name;
  }
}

TEST(PlanTest, ArmsAreBaselineAndVariant) {
  const auto plan = make_plan(make_recipe(), {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->arms.size(), 2U);
  EXPECT_EQ(plan->arms[0].name, "A");
  EXPECT_EQ(plan->arms[1].variant, "pgo-thinlto");
}

TEST(PlanTest, ShapesGlobNarrowsTheProofOnly) {
  PlanOptions options;
  options.shapes = "h1-0,h2*";
  const auto plan = make_plan(make_recipe(), options);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->prove_shapes, ElementsAre("h1-0", "h2-post"));
  EXPECT_THAT(plan->train_shapes, ElementsAre("h1-0", "h1-1"));
  options.shapes = "h3*";
  const auto none = make_plan(make_recipe(), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(none.error().next, HasSubstr("h1-0"));
}

TEST(PlanTest, NothingToTrainOrProve) {
  Recipe recipe = make_recipe(0);
  auto plan = make_plan(recipe, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::kRecipe);
  recipe = make_recipe();
  for (auto& shape : recipe.shapes) shape.prove = false;
  plan = make_plan(recipe, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::kRecipe);
}

TEST(PlanTest, ExpectedTimeOfTheProof) {
  const auto plan = make_plan(make_recipe(), {});
  ASSERT_TRUE(plan);
  // 3 shapes, 1 load, 8 rounds and 3 that check them, of 3 arms with 8 slices of 0.6 s, and 2 s to
  // start and stop.
  EXPECT_NEAR(plan->expected_prove_s, 3 * 11 * (3 * 8 * 0.6 + 2), 1e-6);
  EXPECT_NEAR(training_s(*plan), 2 * (8 + 2), 1e-6);
}

TEST(PlanTest, SmokeTrainsUnderAMinute) {
  PlanOptions options;
  options.smoke = true;
  for (const int shapes : {1, 2, 8, 15}) {
    const auto plan = make_plan(make_recipe(shapes), options);
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->train.leg_s, 3);
    EXPECT_LT(training_s(*plan), 60) << shapes;
    EXPECT_EQ(plan->prove.rounds, 6);
    EXPECT_EQ(plan->prove.slices, 4);
    EXPECT_DOUBLE_EQ(plan->prove.slice_s, 0.25);
    EXPECT_DOUBLE_EQ(plan->prove.head_s, 0.1);
  }
}

TEST(PlanTest, SmokeKeepsWhatIsShorter) {
  Recipe recipe = make_recipe();
  recipe.train.leg_s = 0.5;
  recipe.prove.rounds = 2;
  PlanOptions options;
  options.smoke = true;
  auto plan = make_plan(recipe, options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->prove.rounds, 2);
  EXPECT_DOUBLE_EQ(plan->train.leg_s, 0.5);
  options = {};
  options.full = true;
  plan = make_plan(recipe, options);
  ASSERT_TRUE(plan);
  EXPECT_DOUBLE_EQ(plan->train.leg_s, 60);
  options.smoke = true;
  EXPECT_FALSE(make_plan(recipe, options));
}

TEST(PlanTest, UnknownVariant) {
  PlanOptions options;
  options.variant = "bolt";
  const auto plan = make_plan(make_recipe(), options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::kUsage);
}

TEST(PlanTest, DescriptionMarksTheUntrained) {
  const Recipe recipe = make_recipe();
  const auto plan = make_plan(recipe, {});
  ASSERT_TRUE(plan);
  const std::string text = describe(*plan, recipe);
  EXPECT_THAT(text, HasSubstr("h2-post*"));
  EXPECT_THAT(text, HasSubstr("(* not trained)"));
  EXPECT_THAT(text, HasSubstr("train from build:instrumented: 2 legs of 8.0 s"));
  EXPECT_THAT(text, HasSubstr("A baseline, B pgo-thinlto, A' a byte copy of A"));
  EXPECT_THAT(text, HasSubstr("busy (60 % busy, poisson)"));
  EXPECT_THAT(text, HasSubstr("estimated"));
}

TEST(PlanTest, HasAJsonForm) {
  const auto plan = make_plan(make_recipe(), {});
  ASSERT_TRUE(plan);
  const Json json = *plan;
  EXPECT_EQ(json.at("steps").at(2).at("kind"), "train");
  EXPECT_EQ(json.at("steps").at(2).at("inputs").at(0), "build:instrumented");
  EXPECT_EQ(json.at("arms").at(1).at("variant"), "pgo-thinlto");
  EXPECT_EQ(json.at("prove").at("rounds"), plan->prove.rounds);
  const auto back = value_from<Plan>(json, "plan");
  ASSERT_TRUE(back);
  EXPECT_EQ(Json(*back), json);
}

}  // namespace
}  // namespace hone::pipeline
