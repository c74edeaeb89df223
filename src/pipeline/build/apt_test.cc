#include <gmock/gmock.h>

#include <fstream>

#include "pipeline/build/apt_entries.h"
#include "pipeline/build/apt_source.h"
#include "pipeline/build/packages.h"
#include "system/system.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;

TEST(AptEntries, OneLineEntriesKeepTheirOptions) {
  EXPECT_EQ(
      source_lines("# a comment\n"
                   "deb [arch=amd64 signed-by=/k.gpg] http://a/debian bookworm main contrib # x\n"
                   "deb http://a/debian bookworm main\n"
                   "deb-src http://a/debian bookworm main\n"
                   "deb cdrom:[Debian 12]/ bookworm main\n"
                   "#deb http://off/debian bookworm main\n"
                   "nonsense\n"),
      "deb-src [arch=amd64 signed-by=/k.gpg] http://a/debian bookworm main contrib\n"
      "deb-src http://a/debian bookworm main\n");
}

TEST(AptEntries, StanzasKeepEveryFieldButTheirType) {
  EXPECT_EQ(source_stanzas("Types: deb\n"
                           "# http://snapshot/\n"
                           "URIs: http://a/debian\n"
                           "Suites: bookworm bookworm-updates\n"
                           "Components: main\n"
                           "Signed-By:\n"
                           " -----BEGIN PGP PUBLIC KEY BLOCK-----\n"
                           " .\n"
                           " abc\n"
                           "\n"
                           "types: deb deb-src\n"
                           "URIs: http://b/debian\n"
                           "Suites: stable\n"
                           "\n"
                           "Enabled: no\n"
                           "Types: deb\n"
                           "URIs: http://off/debian\n"
                           "\n"
                           "Types: deb\n"
                           "URIs: cdrom:[x]/\n"),
            "Types: deb-src\n"
            "URIs: http://a/debian\n"
            "Suites: bookworm bookworm-updates\n"
            "Components: main\n"
            "Signed-By:\n"
            " -----BEGIN PGP PUBLIC KEY BLOCK-----\n"
            " .\n"
            " abc\n"
            "\n"
            "Types: deb-src\n"
            "URIs: http://b/debian\n"
            "Suites: stable\n"
            "\n");
}

TEST(AptEntries, TheSameArchiveIsAskedOnce) {
  const std::string stanza = "Types: deb\nURIs: http://a\nSuites: s\n\n";
  const std::string twin = "Types: deb-src\nURIs: http://a\nSuites: s\n\n";
  EXPECT_EQ(source_stanzas(stanza + twin), twin);
}

TEST(AptEntries, AreReadFromBothPlacesAndBothForms) {
  system::TemporaryFolder etc;
  const system::System os = system::real_system();
  std::filesystem::create_directories(etc / "sources.list.d");
  std::ofstream(etc / "sources.list") << "deb http://a x main\n";
  std::ofstream(etc / "sources.list.d/b.list") << "deb http://b x main\ndeb http://a x main\n";
  std::ofstream(etc / "sources.list.d/c.sources") << "Types: deb\nURIs: http://c\nSuites: x\n";
  std::ofstream(etc / "sources.list.d/d.list.save") << "deb http://d x main\n";
  const auto entries = read_apt_entries(etc.path(), *os.files);
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->lines, "deb-src http://a x main\ndeb-src http://b x main\n");
  EXPECT_EQ(entries->stanzas, "Types: deb-src\nURIs: http://c\nSuites: x\n\n");
  system::TemporaryFolder none;
  EXPECT_TRUE(read_apt_entries(none.path(), *os.files)->empty());
}

TEST(AptSource, ComplaintsAreErrorsOrElseWarnings) {
  EXPECT_EQ(apt_complaints("Get:1 http://a\nW: Failed to fetch http://a  Could not resolve 'a'\n"
                           "E: Unable to find a source package for nghttp3\n"),
            "Unable to find a source package for nghttp3");
  EXPECT_EQ(apt_complaints("W: Failed to fetch http://a  Could not resolve 'a'\n"),
            "Failed to fetch http://a  Could not resolve 'a'");
  EXPECT_EQ(apt_complaints("Reading package lists...\n"), "");
}

TEST(AptSource, VersionsAreListedOnceAndOfThatPackageAlone) {
  EXPECT_THAT(listed_versions("Package: nghttp2\nBinary: x\nVersion: 1.52.0-1+deb12u3\n\n"
                              "Package: nghttp2\nVersion: 1.52.0-1+deb12u2\n\n"
                              "Package: other\nVersion: 9\n\n"
                              "Package: nghttp2\nVersion: 1.52.0-1+deb12u3\n",
                              "nghttp2"),
              ElementsAre("1.52.0-1+deb12u3", "1.52.0-1+deb12u2"));
}

TEST(Packages, OnlyThoseThatAreNotInstalledAreNamed) {
  EXPECT_THAT(not_installed({"libev-dev", "zlib1g-dev", "cmake", "half"},
                            "zlib1g-dev:amd64\tii \ncmake\tii \nhalf\tun \n"
                            "dpkg-query: no packages found matching libev-dev\n"),
              ElementsAre("libev-dev", "half"));
}

}  // namespace
}  // namespace hone::pipeline
