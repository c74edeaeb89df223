// Fetching with an apt that is played: an archive whose index names files it no longer has, one
// that cannot be reached, and a second run without any network.
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "base/text.h"
#include "pipeline/build/apt_source.h"
#include "pipeline/build/build.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class PlayedApt : public system::Processes {
 public:
  explicit PlayedApt(std::unique_ptr<system::Processes> real) : real_(std::move(real)) {}

  Result<std::unique_ptr<system::Child>> start(const system::Command& c) override {
    return real_->start(c);
  }
  Result<system::TalkingChild> start_talking(const system::Command& c) override {
    return real_->start_talking(c);
  }
  Result<system::Exit> run(const system::Command& command) override {
    if (command.argv[0] != "apt-get") return real_->run(command);
    calls.push_back(join(command.argv, " "));
    std::ofstream log(command.output, std::ios::app);
    system::Exit exit;
    if (command.argv[3] == "update") {
      log << update_says;
      return exit;
    }
    const std::string wanted = command.argv.back();
    const std::string version = wanted.substr(wanted.find('=') + 1);
    if (gone.count(version) != 0) {
      log << "E: Failed to fetch http://a/nghttp2_" << version << ".dsc  404  Not Found\n";
      exit.code = 100;
      return exit;
    }
    fs::create_directories(command.cwd / "nghttp2-1.52.0");
    std::ofstream(command.cwd / "nghttp2-1.52.0" / "CMakeLists.txt") << "project(nghttp2)";
    std::ofstream(command.cwd / ("nghttp2_" + version + ".dsc")) << version;
    return exit;
  }
  Result<std::string> capture(const system::Command& command) override {
    if (command.argv[0] != "apt-cache") return real_->capture(command);
    std::string text;
    for (const std::string& version : versions) {
      text += "Package: nghttp2\nVersion: " + version + "\n\n";
    }
    return text;
  }
  Status signal(const std::vector<pid_t>& pids, int number) override {
    return real_->signal(pids, number);
  }
  std::optional<system::Path> find_program(const std::string& name) const override {
    if (absent.count(name) != 0) return std::nullopt;
    return system::Path("/usr/bin") / name;
  }

  std::string update_says;
  std::vector<std::string> versions = {"1.52.0-1+deb12u2", "1.52.0-1+deb12u10"};
  std::set<std::string> gone, absent;
  std::vector<std::string> calls;

 private:
  std::unique_ptr<system::Processes> real_;
};

class Listener : public Observer {
 public:
  void stage(const std::string&, double) override {}
  void line(const std::string& text) override { lines.push_back(text); }
  void progress(const std::string&, double, double) override {}
  void finding(const Finding& finding) override { findings.push_back(finding.text); }
  std::vector<std::string> lines, findings;
};

class AptFetchTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<system::Exit> dpkg =
        os_.processes->run({{"dpkg", "--version"}, {}, {}, {}, {}, {}, 5});
    if (!dpkg || !fs::exists("/etc/apt")) GTEST_SKIP() << "no dpkg and apt here";
    auto played = std::make_unique<PlayedApt>(std::move(os_.processes));
    apt_ = played.get();
    os_.processes = std::move(played);
    recipe_.source.apt = "nghttp2";
  }
  Result<FetchedSource> fetch() { return fetch_source(recipe_, store_, os_, listener_); }

  system::TemporaryFolder folder_;
  system::System os_ = system::real_system();
  Store store_{folder_ / "hone", "default", os_.files.get()};
  PlayedApt* apt_ = nullptr;
  Recipe recipe_;
  Listener listener_;
};

TEST_F(AptFetchTest, TheNewestVersionIsFetchedOnceAndThenKept) {
  const auto first = fetch();
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_EQ(first->text, "nghttp2 1.52.0-1+deb12u10 (Debian source package)");
  EXPECT_THAT(first->identity, HasSubstr("nghttp2 1.52.0-1+deb12u10 dsc sha256:"));
  EXPECT_TRUE(fs::exists(fs::path(first->path) / "CMakeLists.txt"));
  EXPECT_EQ(apt_->calls.size(), 2U);
  apt_->versions = {"9.9"};  // the archive moves on; the run does not
  const auto second = fetch();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->identity, first->identity);
  EXPECT_EQ(second->path, first->path);
  EXPECT_EQ(apt_->calls.size(), 2U);
}

TEST_F(AptFetchTest, AVersionWhoseFilesAreGoneGivesWayToTheNextOlder) {
  apt_->gone = {"1.52.0-1+deb12u10"};
  const auto source = fetch();
  ASSERT_TRUE(source) << describe(source.error());
  EXPECT_THAT(source->text, HasSubstr("deb12u2"));
  ASSERT_EQ(listener_.findings.size(), 1U);
  EXPECT_THAT(listener_.findings[0], HasSubstr("404  Not Found"));
}

TEST_F(AptFetchTest, AVersionCanBeAskedFor) {
  recipe_.source.apt = "nghttp2=1.52.0-1+deb12u2";
  EXPECT_THAT(fetch()->text, HasSubstr("deb12u2"));
  recipe_.source.apt = "nghttp2=7";
  const auto none = fetch();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kSource);
  EXPECT_THAT(none.error().what, HasSubstr("the archives have 1.52.0-1+deb12u2"));
}

TEST_F(AptFetchTest, AptsOwnWordsSayWhyNothingCameAndTheNextRunTriesAgain) {
  apt_->versions.clear();
  apt_->update_says = "W: Failed to fetch http://a/InRelease  Could not resolve 'a'\n";
  const auto offline = fetch();
  ASSERT_FALSE(offline);
  EXPECT_EQ(offline.error().kind, ErrorKind::kSource);
  EXPECT_THAT(offline.error().what, HasSubstr("Could not resolve 'a'"));
  EXPECT_TRUE(fs::exists(offline.error().log_file));
  apt_->versions = {"1.0"};
  EXPECT_TRUE(fetch());
}

TEST_F(AptFetchTest, NothingOfTheMachinesAptIsTouched) {
  apt_->gone = {"1.52.0-1+deb12u2", "1.52.0-1+deb12u10"};
  ASSERT_FALSE(fetch());
  const auto parts = os_.files->list_tree(folder_ / "hone");
  ASSERT_TRUE(parts);
  std::string conf;
  for (const auto& path : *parts) {
    if (path.filename() == "apt.conf") conf = path.string();
  }
  ASSERT_FALSE(conf.empty());
  for (const std::string& call : apt_->calls) EXPECT_THAT(call, HasSubstr("apt-get -c " + conf));
  const std::string text = os_.files->read(conf).value_or("");
  const std::string own = fs::path(conf).parent_path().string();
  EXPECT_THAT(text, HasSubstr("Dir::State::Lists \"" + own));
  EXPECT_THAT(text, HasSubstr("Dir::Cache \"" + own));
  EXPECT_THAT(text, HasSubstr("Dir::Etc::SourceParts \"" + own));
  EXPECT_THAT(text, HasSubstr("Dir::Etc::SourceList \"/dev/null\""));
  EXPECT_THAT(text, HasSubstr("#clear APT::Update::Post-Invoke;"));
}

TEST_F(AptFetchTest, AMissingToolIsNamedWithItsPackage) {
  apt_->absent = {"dpkg-source"};
  const auto none = fetch();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kToolMissing);
  EXPECT_EQ(none.error().next, "sudo apt-get install dpkg-dev");
}

}  // namespace
}  // namespace hone::pipeline
