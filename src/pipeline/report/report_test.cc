#include "pipeline/report/report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "pipeline/report/html.h"
#include "pipeline/report/layout.h"
#include "pipeline/report/markdown.h"
#include "pipeline/report/report_fixture.h"
#include "pipeline/report/terminal.h"

namespace hone::pipeline::report {
namespace {

using measure::Verdict;
using testing::HasSubstr;
using testing::Not;

std::string headline_with(Verdict verdict) {
  RunValues run = full_run();
  for (Total& total : run.proof.totals) total.verdict = verdict;
  for (Comparison& c : run.proof.comparisons) {
    c.verdict = verdict;
    c.why = "the reason";
  }
  return make_run_report(run).headline.text;
}

TEST(Headline, SaysWhatWasSavedWhereAndOnHowManyShapes) {
  const Model model = make_run_report(full_run());
  EXPECT_THAT(
      model.headline.text,
      testing::MatchesRegex("nghttpx rebuilt with PGO and ThinLTO takes 8\\.[0-9] % less CPU "
                            "per request \\(95 % interval [0-9.]+ to [0-9.]+ %\\) on the "
                            "trained shapes, at `busy`; 6 of 6 shapes saved\\."));
  EXPECT_EQ(model.headline.tone, Tone::kGood);
}

TEST(Headline, ClaimsNoMoreThanItsVerdict) {
  EXPECT_THAT(headline_with(Verdict::kWorse), HasSubstr("6 of 6 shapes worse"));
  EXPECT_THAT(headline_with(Verdict::kSame),
              HasSubstr("takes the same CPU per request to within 1.0 %"));
  EXPECT_THAT(headline_with(Verdict::kUnresolved), testing::StartsWith("Not resolved: whether"));
  EXPECT_THAT(headline_with(Verdict::kWithheld),
              testing::StartsWith("Verdict withheld, nothing is claimed"));
  EXPECT_THAT(headline_with(Verdict::kWithheld), HasSubstr("the reason"));
  EXPECT_THAT(headline_with(Verdict::kFailed),
              testing::StartsWith("An arm failed, nothing is claimed"));
  for (const Verdict verdict :
       {Verdict::kSame, Verdict::kUnresolved, Verdict::kWithheld, Verdict::kFailed})
    EXPECT_THAT(headline_with(verdict), Not(HasSubstr("takes 8"))) << measure::name(verdict);
}

TEST(Headline, OfLoadFromAnotherHostSaysWhichCpuIsCounted) {
  RunValues run = compare_run();
  run.proof.design.settings.hosts.load.via = {"ssh", "load1"};
  run.proof.design.settings.hosts.server_address = "10.0.0.1";
  const std::string charged = render_markdown(make_run_report(run));
  EXPECT_THAT(charged, HasSubstr("came from another host (`ssh load1`), and the CPU is what was "
                                 "charged to the arms' processes"));
  EXPECT_THAT(charged, Not(HasSubstr("whole CPU counted")));
  for (Comparison& c : run.proof.comparisons) {
    c.metric = kWholeMetric;
    c.charged_cpu = std::exchange(c.whole_cpu, std::nullopt);
  }
  const Model model = make_run_report(run);
  EXPECT_THAT(model.headline.text, HasSubstr(", whole CPU counted"));
  const std::string whole = render_markdown(model);
  EXPECT_THAT(whole, HasSubstr("By the CPU charged to the arms' processes alone the change is"));
  EXPECT_THAT(whole, HasSubstr("`ssh load1`, to `10.0.0.1` here; the clocks"));
  EXPECT_THAT(whole, HasSubstr("CPU charged to the processes: "));
  EXPECT_THAT(whole, HasSubstr("hone itself 0"));
}

TEST(Headline, ASavedTotalDoesNotHideAShapeThatIsWorse) {
  RunValues run = full_run();
  for (Comparison& c : run.proof.comparisons)
    if (c.load == "busy" && c.shape == "h2-4k") c.verdict = Verdict::kWorse;
  const Model model = make_run_report(run);
  EXPECT_THAT(model.headline.text, HasSubstr("5 of 6 shapes saved, 1 worse"));
  EXPECT_EQ(model.headline.tone, Tone::kBad);
}

TEST(Headline, ComparesTwoCommandsWithoutSpeakingOfTraining) {
  const Model model = make_run_report(compare_run());
  EXPECT_THAT(model.headline.text, testing::StartsWith("B takes 5."));
  EXPECT_THAT(model.headline.text, HasSubstr("more CPU per request than A"));
  EXPECT_THAT(model.headline.text, Not(HasSubstr("trained")));
}

TEST(Headline, CountsCandidatesByTheirVerdictsAndCallsNoneTheBest) {
  const Model model = make_run_report(candidates_run());
  EXPECT_EQ(model.title, "4 candidates against A");
  EXPECT_EQ(model.headline.text,
            "4 candidates against A, at `busy`: 1 saved (C `level 2`), 1 worse (D `level 3`), "
            "1 failed (E `level 4`), 1 same (B `level 1`).");
  EXPECT_EQ(model.headline.tone, Tone::kBad);
}

template <typename Kind>
const Kind& part_titled(const Model& model, const std::string& title) {
  for (const Section& section : model.sections) {
    for (const Part& part : section.parts) {
      const auto* one = std::get_if<Kind>(&part);
      if (one && one->title.find(title) != std::string::npos) return *one;
    }
  }
  throw std::logic_error("no part is titled " + title);
}

TEST(Report, HasARowForEachCandidate) {
  const Model model = make_run_report(candidates_run());
  const Table& table = part_titled<Table>(model, "CPU per request against A, by arm");
  ASSERT_EQ(table.rows.size(), 4U);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    EXPECT_EQ(table.rows[i].cells.front(), candidate_name(i));
  EXPECT_EQ(table.rows[1].cells.back(), "saved");
  EXPECT_EQ(table.rows[3].cells.back(), "failed");
}

// Rows of one block have one A/A; who failed has no row.
TEST(Report, TheForestHasTheCandidatesAsRowsAndAnAaForEachBlock) {
  const Model model = make_run_report(candidates_run());
  std::string labels;
  for (const Forest::Row& row : part_titled<Forest>(model, "Every round").rows)
    labels += row.label + " ";
  EXPECT_EQ(labels, "B level 1 C level 2 A/A D level 3 A/A ");
}

TEST(Headline, ARunWithoutProofSaysSo) {
  RunValues run = full_run();
  run.proof = {};
  const Model model = make_run_report(run);
  EXPECT_THAT(model.headline.text, testing::StartsWith("Nothing was proved"));
  EXPECT_FALSE(render_html(model).empty());
  EXPECT_FALSE(render_markdown(model).empty());
  EXPECT_FALSE(render_terminal(model, {}).empty());
}

std::vector<std::string> section_titles(const Model& model) {
  std::vector<std::string> titles;
  for (const Section& section : model.sections) titles.push_back(section.title);
  return titles;
}

TEST(Report, TellsTheBusyLoadFirst) {
  const std::vector<std::string> titles = section_titles(make_run_report(full_run()));
  EXPECT_EQ(titles[0], "Total");
  EXPECT_THAT(titles[1], testing::StartsWith("At `busy`"));
  EXPECT_THAT(titles[2], testing::StartsWith("At `burst16`"));
}

TEST(Report, LeavesOutWhatIsNotThere) {
  const std::vector<std::string> titles = section_titles(make_run_report(compare_run()));
  EXPECT_THAT(titles, Not(testing::Contains("The profile")));
  EXPECT_THAT(titles, Not(testing::Contains("What it costs")));
  EXPECT_THAT(render_markdown(make_run_report(compare_run())), Not(HasSubstr("untrained")));
}

TEST(Report, MarksUntrainedShapes) {
  const std::string text = render_terminal(make_run_report(full_run()), {});
  EXPECT_THAT(text, HasSubstr("h1-post-8k *"));
  EXPECT_THAT(text, Not(HasSubstr("h1-4k *")));
}

TEST(Report, AFailedArmHasNoFigures) {
  const std::string text = render_terminal(make_run_report(mixed_run()), {});
  std::string row;
  for (const std::string& line : split(text, '\n'))
    if (line.find("tls-h2-4k") != std::string::npos && line.find("failed") != std::string::npos)
      row = line;
  EXPECT_FALSE(row.empty());
  EXPECT_THAT(row, Not(HasSubstr("0.0 %")));
  EXPECT_THAT(text, HasSubstr("212 of 9,000 requests were reset"));
}

TEST(Report, AnUnresolvedShapeSaysWhatItWouldTake) {
  const std::string text = render_markdown(make_run_report(mixed_run()));
  EXPECT_THAT(text, HasSubstr("Smallest detectable effect: "));
  EXPECT_THAT(text, HasSubstr("rounds needed for the effect seen: 41"));
}

TEST(Terminal, FitsItsWidth) {
  for (const RunValues& run : {full_run(), mixed_run(), compare_run(), candidates_run()}) {
    for (const int width : {80, 100, 140}) {
      TerminalStyle style;
      style.width = width;
      for (const std::string& line : split(render_terminal(make_run_report(run), style), '\n'))
        EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(Terminal, EverythingFitsAHundredColumnsButCommands) {
  const RunValues run = full_run();
  TerminalStyle style;
  style.everything = true;
  for (const std::string& line : split(render_terminal(make_run_report(run), style), '\n'))
    EXPECT_TRUE(display_width(line) <= 100 || line.find(run.command) != std::string::npos) << line;
}

TEST(Terminal, ColoursOnlyWhenAskedAndSaysTheSame) {
  const Model model = make_run_report(mixed_run());
  TerminalStyle style;
  const std::string plain = render_terminal(model, style);
  EXPECT_EQ(plain.find('\033'), std::string::npos);
  style.colour = true;
  const std::string coloured = render_terminal(model, style);
  EXPECT_NE(coloured.find('\033'), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\033\\[[0-9;]*m"), ""), plain);
}

TEST(Terminal, AsciiStaysAscii) {
  TerminalStyle style;
  style.unicode = false;
  style.everything = true;
  for (const char c : render_terminal(make_run_report(mixed_run()), style))
    ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

// Every element that is opened is closed, in order; attributes are quoted.
void expect_well_formed(const std::string& html) {
  static const std::regex kTag(
      "<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\\s+[a-zA-Z0-9:-]+(?:=\"[^\"]*\")?)*)\\s*(/?)>");
  const std::size_t style_end = html.find("</style>");
  ASSERT_NE(style_end, std::string::npos);
  std::vector<std::string> open = {"html", "head"};
  std::string body = html.substr(style_end + 8);
  std::size_t matched = 0;
  for (std::sregex_iterator it(body.begin(), body.end(), kTag), end; it != end; ++it) {
    ++matched;
    const std::string name = (*it)[2];
    if ((*it)[1] == "/") {
      ASSERT_FALSE(open.empty()) << "nothing open at </" << name << ">";
      ASSERT_EQ(open.back(), name);
      open.pop_back();
    } else if ((*it)[4] != "/" && name != "meta") {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty()) << open.back() << " is never closed";
  EXPECT_EQ(static_cast<std::size_t>(std::count(body.begin(), body.end(), '<')), matched)
      << "a < that is no tag";
}

TEST(Html, IsWellFormed) {
  for (const RunValues& run : {full_run(), mixed_run(), compare_run(), candidates_run()})
    expect_well_formed(render_html(make_run_report(run)));
}

TEST(Html, NeedsNothingButItself) {
  const std::string html = render_html(make_run_report(full_run()));
  for (const char* word :
       {"<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "onload"})
    EXPECT_THAT(html, Not(HasSubstr(word)));
  // The only addresses are in commands as typed, never in an attribute.
  EXPECT_THAT(html, Not(testing::ContainsRegex("href=\"[^#]")));
}

TEST(Html, EscapesWhatARecipeMaySay) {
  RunValues run = full_run();
  run.summary = "<b>&\"x\"</b> `<i>`";
  run.subject = "a<b";
  for (Comparison& c : run.proof.comparisons) c.why = "<script>alert(1)</script> | x";
  const std::string html = render_html(make_run_report(run));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;&amp;&quot;x&quot;&lt;/b&gt; <code>&lt;i&gt;</code>"));
  expect_well_formed(html);
  const std::string markdown = render_markdown(make_run_report(run));
  EXPECT_THAT(markdown, Not(HasSubstr(" <script>")));
  EXPECT_THAT(markdown, HasSubstr("\\| x"));
}

TEST(Html, EveryChartHasWordsAndATable) {
  const std::string html = render_html(make_run_report(full_run()));
  EXPECT_THAT(html, HasSubstr("role=\"img\" aria-labelledby=\"chart-1-title chart-1-desc\""));
  EXPECT_THAT(html, HasSubstr("<title id=\"chart-1-title\">"));
  EXPECT_THAT(html, HasSubstr("<desc id=\"chart-1-desc\">h1-4k -"));
  EXPECT_THAT(html, HasSubstr("The dots as a table"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">h1-4k</th>"));
}

TEST(Html, AnOddBacktickClosesItsCode) {
  Model model;
  model.title = "t";
  model.headline = {"an odd ` mark"};
  expect_well_formed(render_html(model));
}

TEST(Markdown, EveryRowOfATableHasItsCells) {
  for (const RunValues& run : {full_run(), mixed_run(), compare_run(), candidates_run()}) {
    std::ptrdiff_t cells = 0;
    for (const std::string& line : split(render_markdown(make_run_report(run)), '\n')) {
      if (line.empty() || line[0] != '|') {
        cells = 0;
        continue;
      }
      std::ptrdiff_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i)
        bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
      if (cells == 0) cells = bars;
      EXPECT_EQ(bars, cells) << line;
    }
  }
}

}  // namespace
}  // namespace hone::pipeline::report
