#include "pipeline/report/layout.h"

#include <gmock/gmock.h>

#include "pipeline/report/text_chart.h"

namespace hone::pipeline::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Layout, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width("├─┤"), 3);
  EXPECT_EQ(pad("─", 3, true), "  ─");
  EXPECT_EQ(pad("─", 3, false), "─  ");
  EXPECT_EQ(pad("long", 2, false), "long");
}

TEST(Layout, WrapsAtSpacesAndCutsOnlyWhatIsTooLong) {
  EXPECT_THAT(wrap("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("abcdefgh ij", 3), ElementsAre("abc", "def", "gh", "ij"));
  EXPECT_THAT(wrap("", 8), ElementsAre(""));
}

Forest forest() {
  Forest f;
  f.left = "less";
  f.right = "more";
  f.ticks = {{-0.10, "-10"}, {-0.05, "-5"}, {0, "0"}, {0.05, "+5"}};
  f.band_low = -0.01;
  f.band_high = 0.01;
  Forest::Row row;
  row.label = "h1";
  row.dots = {-0.09, -0.07};
  row.estimate = -0.08;
  row.low = -0.1;
  row.high = -0.06;
  row.figure = "-8.0 %";
  f.rows = {row};
  row.label = "A/A";
  row.estimate = row.low = row.high = 0;
  row.dots = {0};
  row.control = true;
  f.rows.push_back(row);
  return f;
}

TEST(TextChart, PutsMarksWhereTheAxisSays) {
  // 60 columns of plot: -10 % is the first, +5 % the last, 0 two thirds along.
  const std::vector<ChartLine> lines = draw_chart(forest(), 77, false);
  const std::string margin = "         ";
  EXPECT_EQ(lines[2].text,
            "  h1     [---*---O---*---]                    |" + std::string(20, ' ') + "-8.0 %");
  EXPECT_EQ(lines[3].text.find('o'), lines[2].text.find('|'));
  EXPECT_TRUE(lines[3].muted);
}

TEST(TextChart, KeepsToItsWidth) {
  for (const int width : {40, 60, 100})
    for (const ChartLine& line : draw_chart(forest(), width, true))
      EXPECT_LE(display_width(line.text), std::max(width, 60)) << line.text;
}

TEST(TextChart, LabelsThatWouldTouchAreThinnedFromZero) {
  Forest f = forest();
  f.ticks.clear();
  for (int i = -20; i <= 5; ++i) f.ticks.push_back({i / 100.0, i == 0 ? "0" : std::to_string(i)});
  const std::string labels = draw_chart(f, 60, true).back().text;
  EXPECT_THAT(labels, HasSubstr("0"));
  EXPECT_THAT(labels, testing::Not(HasSubstr("-20-")));
}

}  // namespace
}  // namespace hone::pipeline::report
