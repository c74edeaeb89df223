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
  // 2 of indent, 5 of labels and 2 of gap, then 60 columns for -10 to +5 %: 0 is two thirds along.
  const std::vector<ChartLine> lines = draw_chart(forest(), 77, false);
  const std::string& row = lines[2].text;
  EXPECT_EQ(row.substr(0, 9), "  h1     ");
  EXPECT_EQ(row.find('['), 9u);
  EXPECT_EQ(row.find('*'), 9u + 4);
  EXPECT_EQ(row.find('O'), 9u + 8);
  EXPECT_EQ(row.rfind('*'), 9u + 12);
  EXPECT_EQ(row.find(']'), 9u + 16);
  EXPECT_EQ(row.find('|'), 9u + 39);
  EXPECT_EQ(row.find("-8.0 %"), 9u + 60 + 2);
  EXPECT_EQ(lines[3].text.find('o'), row.find('|'));
  EXPECT_TRUE(lines[3].muted);
}

TEST(TextChart, KeepsToItsWidth) {
  for (const int width : {45, 60, 100})
    for (const ChartLine& line : draw_chart(forest(), width, true))
      EXPECT_LE(display_width(line.text), width) << line.text;
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
