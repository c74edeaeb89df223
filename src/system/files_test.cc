#include "system/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/sha256.h"
#include "system/os_error.h"
#include "system/real.h"
#include "system/temporary_folder.h"

namespace hone::system {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct stat status_of(const Path& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

int mode_of(const Path& path) { return static_cast<int>(status_of(path).st_mode & 07777); }

// What `work` returns, from a forked child that has given up root's rights.
template <typename Work>
std::string as_nobody(Work work) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr int kNobody = 65534;
    std::string text = "cannot become nobody";
    if (::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0)
      text = work();
    [[maybe_unused]] const ssize_t written = ::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> piece;
  ssize_t got = 0;
  while ((got = ::read(ends[0], piece.data(), piece.size())) > 0)
    text.append(piece.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

class FilesTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::unique_ptr<Files> files_ = real_files();
};

TEST_F(FilesTest, WriteMakesFoldersAndReadGivesItBack) {
  const Path path = folder_ / "a/b/c.json";
  const std::string content("x\0y\n", 4);
  ASSERT_TRUE(files_->write(path, content));
  EXPECT_EQ(*files_->read(path), content);
  EXPECT_EQ(*files_->size(path), 4U);
  EXPECT_TRUE(files_->exists(path));
  EXPECT_FALSE(files_->is_directory(path));
  EXPECT_TRUE(files_->is_directory(folder_ / "a"));
}

TEST_F(FilesTest, WriteReplacesTheFileWhole) {
  const Path path = folder_ / "x";
  ASSERT_TRUE(files_->write(path, "old and long"));
  const auto before = status_of(path).st_ino;
  ASSERT_TRUE(files_->write(path, "new"));
  EXPECT_EQ(*files_->read(path), "new");
  EXPECT_NE(status_of(path).st_ino, before);  // a reader of the old one is not disturbed
  EXPECT_THAT(*files_->list(folder_.path()), ElementsAre(path));
}

TEST_F(FilesTest, AFailedWriteLeavesNothingBehind) {
  ASSERT_TRUE(files_->make_directories(folder_ / "taken/full"));
  const auto written = files_->write(folder_ / "taken", "x");  // a folder is in the way
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().what, HasSubstr((folder_ / "taken").string()));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    ++entries;
  EXPECT_EQ(entries, 1);
}

TEST_F(FilesTest, LeftoversOfAKilledHoneAreNotListed) {
  ASSERT_TRUE(files_->write(folder_ / "kept", "x"));
  ASSERT_TRUE(files_->write(folder_ / ".hone-tmp-1-2", "half"));
  EXPECT_THAT(*files_->list(folder_.path()), ElementsAre(folder_ / "kept"));
  EXPECT_THAT(*files_->list_tree(folder_.path()), ElementsAre(folder_ / "kept"));
}

TEST_F(FilesTest, MissingFilesAreNotFound) {
  const Path path = folder_ / "none/at/all";
  for (const ErrorKind kind :
       {files_->read(path).error().kind, files_->size(path).error().kind,
        files_->list(path).error().kind, files_->list_tree(path).error().kind,
        files_->sha256(path).error().kind, files_->copy(path, folder_ / "x").error().kind,
        files_->rename(path, folder_ / "x").error().kind,
        files_->set_mode(path, 0644).error().kind})
    EXPECT_EQ(kind, ErrorKind::kNotFound);
  EXPECT_THAT(files_->read(path).error().what, HasSubstr(path.string()));
  EXPECT_TRUE(files_->remove_all(path));
}

TEST_F(FilesTest, ReadingAFolderIsAnError) {
  const auto read = files_->read(folder_.path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kIo);
}

TEST_F(FilesTest, ListTreeGivesFilesOnlyAndSorted) {
  ASSERT_TRUE(files_->write(folder_ / "b/2", ""));
  ASSERT_TRUE(files_->write(folder_ / "b/1", ""));
  ASSERT_TRUE(files_->write(folder_ / "a", ""));
  ASSERT_TRUE(files_->make_directories(folder_ / "empty"));
  EXPECT_THAT(*files_->list_tree(folder_.path()),
              ElementsAre(folder_ / "a", folder_ / "b/1", folder_ / "b/2"));
  EXPECT_THAT(*files_->list(folder_.path()),
              ElementsAre(folder_ / "a", folder_ / "b", folder_ / "empty"));
  EXPECT_THAT(*files_->list(folder_ / "empty"), IsEmpty());
}

TEST_F(FilesTest, FolderModesHoldAgainstTheUmask) {
  const mode_t before = ::umask(077);
  const auto made = files_->make_directories(folder_ / "legs/h1", 01777);
  ::umask(before);
  ASSERT_TRUE(made);
  EXPECT_EQ(mode_of(folder_ / "legs/h1"), 01777);
  ASSERT_TRUE(files_->make_directories(folder_ / "legs/h1"));  // it was there: nothing is changed
  EXPECT_EQ(mode_of(folder_ / "legs/h1"), 01777);
}

TEST_F(FilesTest, CopyIsAFreshInodeWithTheSameBytesAndMode) {
  const std::string content(1'000'000, 'x');
  ASSERT_TRUE(files_->write(folder_ / "a", content));
  ASSERT_TRUE(files_->set_mode(folder_ / "a", 0751));
  ASSERT_TRUE(files_->copy(folder_ / "a", folder_ / "deep/b"));
  EXPECT_EQ(*files_->read(folder_ / "deep/b"), content);
  EXPECT_EQ(mode_of(folder_ / "deep/b"), 0751);
  EXPECT_NE(status_of(folder_ / "a").st_ino, status_of(folder_ / "deep/b").st_ino);
  EXPECT_EQ(*files_->sha256(folder_ / "deep/b"), sha256(content));
}

TEST_F(FilesTest, LinksAreReplaced) {
  ASSERT_TRUE(files_->link("first", folder_ / "runs/link"));
  ASSERT_TRUE(files_->link("second", folder_ / "runs/link"));
  EXPECT_EQ(std::filesystem::read_symlink(folder_ / "runs/link"), "second");
  EXPECT_FALSE(files_->exists(folder_ / "runs/link"));  // it is followed, and leads nowhere
}

TEST_F(FilesTest, RemoveAllTakesWholeTreesAndNotWhatLinksName) {
  ASSERT_TRUE(files_->write(folder_ / "kept/x", ""));
  ASSERT_TRUE(files_->link(folder_ / "kept", folder_ / "gone/link"));
  ASSERT_TRUE(files_->remove_all(folder_ / "gone"));
  EXPECT_FALSE(files_->exists(folder_ / "gone"));
  EXPECT_TRUE(files_->exists(folder_ / "kept/x"));
}

TEST_F(FilesTest, ASecondLockIsRefusedAndNamesTheHolder) {
  auto first = files_->lock(folder_ / "run/lock");
  ASSERT_TRUE(first);
  const auto second = files_->lock(folder_ / "run/lock");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kLocked);
  EXPECT_THAT(second.error().what, HasSubstr("pid " + std::to_string(::getpid())));
  first->reset();
  EXPECT_TRUE(files_->lock(folder_ / "run/lock"));
}

TEST_F(FilesTest, ALockEndsWithItsProcess) {
  const Path path = folder_ / "lock";
  std::array<int, 2> held{};
  ASSERT_EQ(::pipe(held.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = files_->lock(path);
    const char answer = lock ? 'y' : 'n';
    [[maybe_unused]] const ssize_t written = ::write(held[1], &answer, 1);
    while (true) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(held[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const auto refused = files_->lock(path);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr(std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(files_->lock(path));
  ::close(held[0]);
  ::close(held[1]);
}

TEST_F(FilesTest, NoRightNamesTheUser) {
  ASSERT_TRUE(files_->make_directories(folder_ / "locked", 0555));
  const auto attempt = [this]() -> std::string {
    const auto written = files_->write(folder_ / "locked/x", "x");
    if (written) return "written";
    return std::to_string(static_cast<int>(written.error().kind)) + " " + written.error().what;
  };
  ASSERT_TRUE(files_->set_mode(folder_.path(), 0755));  // mkdtemp gives 0700
  const std::string seen = ::geteuid() == 0 ? as_nobody(attempt) : attempt();
  const std::string who = ::geteuid() == 0 ? "nobody" : user_name();
  EXPECT_THAT(seen, HasSubstr(std::to_string(static_cast<int>(ErrorKind::kPermission))));
  EXPECT_THAT(seen, HasSubstr((folder_ / "locked/x").string()));
  EXPECT_THAT(seen, HasSubstr(who));
}

TEST_F(FilesTest, AFullDiskNamesThePathAndTheSpaceLeft) {
  // The text of it, without root; the real thing is below.
  const auto error = os_fail(ENOSPC, "write", folder_ / "not/there/yet").value();
  EXPECT_EQ(error.kind, ErrorKind::kDiskFull);
  EXPECT_THAT(error.what, HasSubstr((folder_ / "not/there/yet").string()));
  EXPECT_THAT(error.what, HasSubstr("B free)"));
  EXPECT_EQ(os_fail(EDQUOT, "write", "x").value().kind, ErrorKind::kDiskFull);
}

TEST_F(FilesTest, ARealFullDisk) {
  const Path disk = folder_ / "disk";
  ASSERT_TRUE(files_->make_directories(disk));
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "mounting a small tmpfs needs root: " << os_message(errno);
  ASSERT_TRUE(files_->write(disk / "state.json", "precious"));
  const auto written = files_->write(disk / "state.json", std::string(200'000, 'x'));
  ASSERT_TRUE(files_->write(folder_ / "big", std::string(200'000, 'x')));
  const auto copied = files_->copy(folder_ / "big", disk / "big");
  const auto kept = files_->read(disk / "state.json");
  const auto listed = files_->list(disk);
  const auto free = files_->free_bytes(disk);
  ::umount2(disk.c_str(), MNT_DETACH);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kDiskFull);
  EXPECT_THAT(written.error().what, HasSubstr((disk / "state.json").string()));
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().kind, ErrorKind::kDiskFull);
  EXPECT_EQ(*kept, "precious");  // nothing is lost
  EXPECT_THAT(*listed, ElementsAre(disk / "state.json"));
  EXPECT_LE(*free, 64U * 1024U);
  EXPECT_GT(*free, 0U);  // the half-written ones are gone again
}

TEST_F(FilesTest, OwnersOfATree) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving files away needs root";
  ASSERT_TRUE(files_->write(folder_ / "t/a/b", ""));
  ASSERT_TRUE(files_->set_owner(folder_ / "t", "nobody"));
  EXPECT_EQ(status_of(folder_ / "t").st_uid, 65534U);
  EXPECT_EQ(status_of(folder_ / "t/a/b").st_uid, 65534U);
  const auto unknown = files_->set_owner(folder_ / "t", "no-such-user");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("no-such-user"));
}

}  // namespace
}  // namespace hone::system
