#include "pipeline/store/store.h"

#include <gmock/gmock.h>

#include "pipeline/store/field_changes.h"
#include "system/system.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  static Fingerprint print(const std::string& jobs = "2") {
    Fingerprint made;
    made.add("source", "tree 1234");
    made.add("build.jobs", jobs);
    return made;
  }
  system::Path part(const Fingerprint& fingerprint) {
    system::Path path = store_.folder("build", fingerprint);
    path += ".part";
    return path;
  }

  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
  Store store_{folder_ / "s", "default", system_.files.get()};
};

TEST_F(StoreTest, FingerprintsTellFieldBoundariesApart) {
  Fingerprint a, b;
  a.add("ab", "c");
  b.add("a", "bc");
  EXPECT_NE(a.hash(), b.hash());
  EXPECT_EQ(a.hash().size(), 16U);
  Fingerprint json;
  json.add("flags", Json{"-O2", "\xff"});  // not UTF-8: replaced, not thrown
  EXPECT_EQ(json.fields()[0].first, "flags");
}

TEST_F(StoreTest, CommittedValuesAreFound) {
  EXPECT_FALSE(store_.find("build", print()));
  const auto work = store_.begin("build", print());
  ASSERT_TRUE(work);
  ASSERT_TRUE(system_.files->write(*work / "binary", "elf"));
  const auto place = store_.commit("build", print(), Json{{"path", "binary"}});
  ASSERT_TRUE(place) << place.error().what;
  EXPECT_EQ(*place, store_.folder("build", print()));
  const auto found = store_.find("build", print());
  ASSERT_TRUE(found);
  EXPECT_EQ(store_.value(*found)->at("path"), "binary");
  EXPECT_TRUE(system_.files->exists(*found / "binary"));
  EXPECT_FALSE(system_.files->exists(part(print())));
  EXPECT_FALSE(store_.find("build", print("4")));
  EXPECT_FALSE(store_.find("leg", print()));
}

TEST_F(StoreTest, WorkCutByKillIsKeptAndNotFound) {
  const auto work = store_.begin("build", print());
  ASSERT_TRUE(work);
  ASSERT_TRUE(system_.files->write(*work / "half.o", "x"));
  // Killed here, or after either of the two files of the commit.
  EXPECT_FALSE(store_.find("build", print()));
  ASSERT_TRUE(system_.files->write(*work / "value.json", "{}"));
  EXPECT_FALSE(store_.find("build", print()));
  ASSERT_TRUE(system_.files->write(*work / "fingerprint.json", dump(Json(print().fields()))));
  EXPECT_FALSE(store_.find("build", print()));
  const auto again = store_.begin("build", print());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *work);
  EXPECT_TRUE(system_.files->exists(*again / "half.o"));
  ASSERT_TRUE(store_.commit("build", print(), Json{{"n", 1}}));
  EXPECT_EQ(store_.value(*store_.find("build", print()))->at("n"), 1);
}

TEST_F(StoreTest, DamagedFoldersAreNotFoundAndReplaced) {
  const auto commit = [&](int n) {
    ASSERT_TRUE(store_.begin("build", print()));
    ASSERT_TRUE(store_.commit("build", print(), Json{{"n", n}}));
  };
  const system::Path place = store_.folder("build", print());
  for (const char* file : {"value.json", "fingerprint.json"}) {
    commit(1);
    ASSERT_TRUE(system_.files->write(place / file, "{\"n\":"));  // truncated
    EXPECT_FALSE(store_.find("build", print())) << file;
    ASSERT_TRUE(system_.files->remove_all(place / file));
    EXPECT_FALSE(store_.find("build", print())) << file;
    commit(2);
    ASSERT_TRUE(store_.find("build", print()));
    EXPECT_EQ(store_.value(place)->at("n"), 2);
  }
  // Another value's fields under this name.
  ASSERT_TRUE(system_.files->write(place / "fingerprint.json", dump(Json(print("4").fields()))));
  EXPECT_FALSE(store_.find("build", print()));
}

TEST_F(StoreTest, UseSaysWhichFieldsChanged) {
  const auto make = [&](const std::string& jobs) {
    EXPECT_TRUE(store_.begin("build", print(jobs)));
    return *store_.commit("build", print(jobs), Json::object());
  };
  const system::Path first = make("2"), second = make("4");
  EXPECT_THAT(store_.changes("2-build", "baseline", print("4")), IsEmpty());
  EXPECT_THAT(*store_.use("2-build", "baseline", first), IsEmpty());
  EXPECT_THAT(*store_.use("2-build", "baseline", first), IsEmpty());
  EXPECT_THAT(store_.changes("2-build", "baseline", print("4")), ElementsAre("build.jobs: 2 -> 4"));
  EXPECT_THAT(*store_.use("2-build", "baseline", second), ElementsAre("build.jobs: 2 -> 4"));
  EXPECT_TRUE(system_.files->exists(store_.run_dir() / "2-build" / "baseline" / "value.json"));
  // A run of another name has a memory of its own.
  Store other(folder_ / "s", "other", system_.files.get());
  EXPECT_THAT(other.changes("2-build", "baseline", print("9")), IsEmpty());
  // The link outlives a move of the whole folder.
  ASSERT_TRUE(system_.files->rename(folder_ / "s", folder_ / "moved"));
  EXPECT_TRUE(system_.files->exists(folder_.path() / "moved/default/2-build/baseline/value.json"));
}

TEST_F(StoreTest, OneWriterAtATime) {
  auto first = store_.lock();
  ASSERT_TRUE(first) << first.error().what;
  Store second(folder_ / "s", "other", system_.files.get());
  const auto refused = second.lock();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kLocked);
  first->reset();
  EXPECT_TRUE(second.lock());
}

TEST(RunName, IsPlainAndNotTaken) {
  for (const char* name : {"default", "seed-7", "tree2"}) EXPECT_TRUE(is_run_name(name)) << name;
  for (const char* name : {"store", "tree", "lock", "", ".", "..", "../x", "a/b"}) {
    EXPECT_FALSE(is_run_name(name)) << name;
  }
}

TEST_F(StoreTest, KnowsItsOwnFolder) {
  const auto is_root = [&] { return Store::is_root(folder_ / "s", *system_.files); };
  ASSERT_TRUE(system_.files->write(folder_ / "s/store/shop.cc", "somebody's source"));
  EXPECT_FALSE(is_root());
  ASSERT_TRUE(system_.files->write(folder_ / "s/lock", "yarn"));
  EXPECT_FALSE(is_root());
  ASSERT_TRUE(system_.files->remove_all(folder_ / "s"));
  ASSERT_TRUE(store_.lock());
  EXPECT_FALSE(is_root());  // any daemon may leave its process in a file called lock
  (void)store_.stage_dir("1-recipe");
  EXPECT_TRUE(is_root());
  ASSERT_TRUE(system_.files->remove_all(store_.run_dir()));
  ASSERT_TRUE(store_.begin("build", print()));
  EXPECT_TRUE(is_root());
}

TEST(FieldChangesTest, AddedAndRemovedFields) {
  EXPECT_THAT(field_changes({{"a", "1"}, {"b", "2"}}, {{"b", "2"}, {"c", ""}}),
              ElementsAre("a: 1 -> (none)", "c: (none) -> \"\""));
}

TEST(FieldChangesTest, ObjectsAreComparedMemberByMember) {
  const std::string before = Json{{"path", "/a"}, {"tls", false}, {"x", {{"y", 1}}}}.dump();
  const std::string after = Json{{"path", "/b"}, {"x", {{"y", 2}}}, {"new", 3}}.dump();
  EXPECT_THAT(field_changes({{"shape", before}}, {{"shape", after}}),
              ElementsAre("shape.path: \"/a\" -> \"/b\"", "shape.tls: false -> (none)",
                          "shape.x.y: 1 -> 2", "shape.new: (none) -> 3"));
}

TEST(FieldChangesTest, ManyMembersAreSummedUp) {
  Json before = Json::object(), after = Json::object();
  for (int i = 0; i < 20; ++i) {
    before[std::to_string(i)] = 0;
    after[std::to_string(i)] = 1;
  }
  const auto lines = field_changes({{"f", before.dump()}}, {{"f", after.dump()}});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines.back(), "f: and 15 more");
}

TEST(FieldChangesTest, LongValuesAreCutAroundTheDifference) {
  const std::string same(200, 'x');
  const auto lines = field_changes({{"f", same + "OLD" + same}}, {{"f", same + "NEW" + same}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("OLD"));
  EXPECT_THAT(lines[0], HasSubstr("NEW"));
  EXPECT_LT(lines[0].size(), 120U);
  const std::string hash_a(64, 'a'), hash_b(64, 'b');
  EXPECT_THAT(field_changes({{"binary", hash_a}}, {{"binary", hash_b}}),
              ElementsAre("binary: aaaaaaaaaaaa... -> bbbbbbbbbbbb..."));
}

TEST(FieldChangesTest, CutsBetweenCharacters) {
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xa4";
  for (int shift = 0; shift < 4; ++shift) {
    const std::string pad(static_cast<std::size_t>(shift), 'p');
    const auto lines = field_changes({{"f", pad + umlauts}}, {{"f", pad + umlauts + "x"}});
    ASSERT_EQ(lines.size(), 1U);
    // Strict: throws on a broken sequence.
    EXPECT_NO_THROW((void)Json(lines[0]).dump());
  }
}

}  // namespace
}  // namespace hone::pipeline
