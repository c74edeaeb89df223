#include "subject/url.h"

#include <gtest/gtest.h>

namespace hone::subject {
namespace {

TEST(ParseUrl, TakesWhatServersAreAskedBy) {
  const auto url = parse_url("http://127.0.0.1:8080/a?b=c#d");
  ASSERT_TRUE(url);
  EXPECT_FALSE(url->tls);
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->path, "/a?b=c");
}

TEST(ParseUrl, KnowsDefaults) {
  EXPECT_EQ(parse_url("http://example.test")->port, 80);
  EXPECT_EQ(parse_url("https://example.test")->port, 443);
  EXPECT_EQ(parse_url("https://example.test")->path, "/");
  EXPECT_EQ(parse_url("http://example.test?x")->path, "/?x");
}

TEST(ParseUrl, TakesBracketedAddresses) {
  const auto url = parse_url("https://[::1]:444/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 444);
}

TEST(ParseUrl, RefusesTheRestByName) {
  for (const char* bad : {"ftp://x/", "http://", "http://x:0/", "http://x:65536/", "http://x:y/",
                          "http://u@x/", "http://[::1", "http://[::1]x/", ""}) {
    const auto url = parse_url(bad);
    ASSERT_FALSE(url) << bad;
    EXPECT_EQ(url.error().kind, ErrorKind::kUsage);
  }
}

TEST(Url, IsWrittenAsItWasRead) {
  for (const char* text : {"http://127.0.0.1:80/", "https://[::1]:8443/a?b=c"}) {
    EXPECT_EQ(to_string(*parse_url(text)), text);
  }
}

}  // namespace
}  // namespace hone::subject
