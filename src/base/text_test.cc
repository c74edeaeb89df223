#include "base/text.h"

#include <gmock/gmock.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
}

TEST(Text, SplitWordsDropsWhiteSpace) {
  EXPECT_THAT(split_words("  a\t b\n\nc "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" \n"), IsEmpty());
}

TEST(Text, JoinTrimReplace) {
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");  // what was put in is not searched again
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Text, ShellQuoteLeavesPlainWordsAlone) {
  EXPECT_EQ(shell_quote("-O2"), "-O2");
  EXPECT_EQ(shell_quote("/usr/bin/a.b"), "/usr/bin/a.b");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("~"), "'~'");
}

TEST(Text, ShellSplitReadsBackWhatShellJoinWrote) {
  const std::vector<std::string> words = {"a",   "b c", "",    "it's",   "\"q\"", "\\", "$HOME",
                                          "`x`", "\n",  "a=b", "{port}", "\t",    "*"};
  const auto back = shell_split(shell_join(words));
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, words);
}

TEST(Text, ShellSplitFollowsPosix) {
  EXPECT_THAT(*shell_split(R"(nginx -g 'daemon off;' "a \"b\" \n" c\ d e''f)"),
              ElementsAre("nginx", "-g", "daemon off;", "a \"b\" \\n", "c d", "ef"));
  EXPECT_THAT(*shell_split("a \\\n b"), ElementsAre("a", "b"));
  EXPECT_THAT(*shell_split("a\\\nb"), ElementsAre("ab"));
  EXPECT_THAT(*shell_split("\"a\\\nb\""), ElementsAre("ab"));
  EXPECT_THAT(*shell_split("\\\n"), IsEmpty());
  EXPECT_THAT(*shell_split("  "), IsEmpty());
}

TEST(Text, ShellSplitRefusesUnfinishedQuotes) {
  for (const char* line : {"'a", "\"a", "a\\", "\"a\\"}) {
    const auto words = shell_split(line);
    ASSERT_FALSE(words) << line;
    EXPECT_EQ(words.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(words.error().what, HasSubstr(line));
  }
}

TEST(Text, FillReplacesNamesAndKeepsLiteralBraces) {
  const Placeholders values = {{"port", "80"}, {"run", "/tmp/r"}};
  EXPECT_EQ(*fill("http://[::1]:{port}/{{x}} {run}{port}", values), "http://[::1]:80/{x} /tmp/r80");
  EXPECT_EQ(*fill("{{{port}}}", values), "{80}");
  EXPECT_THAT(*fill(std::vector<std::string>{"{port}", "b"}, values), ElementsAre("80", "b"));
}

TEST(Text, FillDoesNotFillWhatItFilledIn) {
  EXPECT_EQ(*fill("{a}", {{"a", "{b}"}, {"b", "wrong"}}), "{b}");
}

TEST(Text, FillNamesTheKnownAndTheNearest) {
  const auto filled = fill("x {prot}", {{"port", "1"}, {"run", "2"}});
  ASSERT_FALSE(filled);
  EXPECT_THAT(filled.error().what, HasSubstr("{prot}"));
  EXPECT_THAT(filled.error().next, HasSubstr("did you mean {port}?"));
  EXPECT_THAT(filled.error().next, HasSubstr("{port}, {run}"));
}

TEST(Text, FillRefusesStrayBraces) {
  for (const char* text : {"{", "}", "a{", "{}", "{a b}", "{port", "x}y"})
    EXPECT_FALSE(fill(text, {{"port", "1"}})) << text;
}

TEST(Text, PlainNames) {
  for (const char* name : {"a", "nghttpx", "h1-4k", "A_9", "--all"})
    EXPECT_TRUE(is_plain_name(name)) << name;
  for (const char* name : {"", ".", "..", "a.b", "a/b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(is_plain_name(name)) << name;
  }
  EXPECT_TRUE(is_plain_name(std::string(kNameLimit, 'x')));
  EXPECT_FALSE(is_plain_name(std::string(kNameLimit + 1, 'x')));
}

TEST(Text, Glob) {
  EXPECT_TRUE(matches_glob("h1-*", "h1-4k"));
  EXPECT_FALSE(matches_glob("h1-*", "th1-4k"));
  EXPECT_TRUE(matches_glob("*4k", "h1-4k"));
  EXPECT_TRUE(matches_glob("h?-4k", "h2-4k"));
  EXPECT_FALSE(matches_glob("h?-4k", "h-4k"));
  EXPECT_TRUE(matches_glob("a,b*", "bc"));
  EXPECT_FALSE(matches_glob("a,b", "ab"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_TRUE(matches_glob("a*b*c", "a-bb-b-c"));
}

TEST(Text, GlobTakesNoExponentialTime) {
  // A backtracking matcher does not finish this one.
  EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(Text, Nearest) {
  const std::vector<std::string> known = {"rounds", "connections", "port"};
  EXPECT_EQ(nearest("ruonds", known), "rounds");  // a swap is one step
  EXPECT_EQ(nearest("conections", known), "connections");
  EXPECT_EQ(nearest("prt", known), "port");
  EXPECT_EQ(nearest("seed", known), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Text, NumbersAreWholeTexts) {
  EXPECT_EQ(*parse_double("-1.5e3"), -1500);
  EXPECT_EQ(*parse_integer("-9223372036854775808"), std::numeric_limits<long long>::min());
  for (const char* text : {"", " 1", "1 ", "1x", "x", "nan", "inf", "1e999", "0x10"})
    EXPECT_FALSE(parse_double(text)) << text;
  for (const char* text : {"", "1.5", "9223372036854775808", " 1", "1 ", "+1"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

}  // namespace
}  // namespace hone
