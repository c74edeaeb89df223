#include "pipeline/recipe/recipe.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/text.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const char kSmall[] = R"([source]
apt = "nghttp2"
[build]
binary = "src/nghttpx"
[server]
command = ["{binary}", "--port={port}"]
[[shape]]
name = "h1-4k"
)";

class RecipeTest : public testing::Test {
 protected:
  Result<Recipe> parse(const std::string& text, const std::vector<std::string>& sets = {}) {
    return parse_recipe(text, folder_ / "recipe.toml", sets, system_);
  }
  // What is said, with the folder left out: "recipe.toml:3:1: ...".
  std::string fault(const std::string& text, const std::vector<std::string>& sets = {}) {
    const auto recipe = parse(text, sets);
    if (recipe) return "(no fault)";
    kind_ = recipe.error().kind;
    return replace_all(recipe.error().what, folder_.path().string() + "/", "");
  }
  // kSmall with `from` replaced.
  static std::string with(const std::string& from, const std::string& to) {
    const std::string text = replace_all(kSmall, from, to);
    EXPECT_NE(text, kSmall);
    return text;
  }

  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
  ErrorKind kind_ = ErrorKind::kInternal;
};

TEST_F(RecipeTest, SmallRecipeHasDefaults) {
  const auto recipe = parse(kSmall);
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->source.apt, "nghttp2");
  EXPECT_EQ(recipe->build.system, "cmake");
  EXPECT_EQ(recipe->shapes.size(), 1U);
  EXPECT_EQ(recipe->subject, replace_all(folder_.path().filename().string(), ".", "-"));
  ASSERT_EQ(recipe->loads.size(), 1U);
  EXPECT_EQ(recipe->loads[0].name, "busy");
  EXPECT_DOUBLE_EQ(recipe->loads[0].busy, 0.6);
  EXPECT_EQ(recipe->loads[0].arrivals, "poisson");
  EXPECT_EQ(recipe->prove.rounds, 8);
  EXPECT_TRUE(system::Path(recipe->file).is_absolute());
}

TEST_F(RecipeTest, AFoldersNameIsMadePlain) {
  const std::string folder = "v1 " + std::string(2 * kNameLimit, 'x');
  const auto recipe = parse_recipe(kSmall, folder_ / folder / "recipe.toml", {}, system_);
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_THAT(recipe->subject, StartsWith("v1-xx"));
  EXPECT_TRUE(is_plain_name(recipe->subject));
}

TEST_F(RecipeTest, ExampleOfTheDocumentationIsRead) {
  const auto page = system_.files->read("docs/recipe.md");
  ASSERT_TRUE(page) << page.error().what;
  const std::string begin = "```toml\n";
  const std::size_t from = page->find(begin) + begin.size();
  const auto recipe = parse(page->substr(from, page->find("```", from) - from));
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->subject, "my-proxy");
  EXPECT_EQ(recipe->build.toolchain, "22");
  EXPECT_EQ(recipe->build.env.at("PKG_CONFIG_PATH"), "/opt/libs/pkgconfig");
  EXPECT_EQ(recipe->server.stop.signal, "QUIT");
  EXPECT_DOUBLE_EQ(recipe->server.ready.limit_s, 30);
  EXPECT_EQ(recipe->loads.size(), 2U);
  EXPECT_EQ(recipe->loads[1].arrivals, "burst:16");
  EXPECT_DOUBLE_EQ(recipe->prove.slice_s, 0.5);
  EXPECT_THAT(recipe->prove.cpus.server, ElementsAre(1));
  ASSERT_EQ(recipe->shapes.size(), 3U);
  EXPECT_THAT(recipe->shapes[0].headers, ElementsAre(traffic::wire::Header{"accept", "*/*"},
                                                     traffic::wire::Header{"cookie", "a=1"},
                                                     traffic::wire::Header{"cookie", "b=2"}));
  EXPECT_EQ(recipe->shapes[1].body_bytes, 4096U);
  EXPECT_TRUE(recipe->shapes[1].tls);
  EXPECT_FALSE(recipe->shapes[2].train);
}

TEST_F(RecipeTest, EveryKeyOfTheReaderIsDocumented) {
  const auto page = system_.files->read("docs/recipe.md");
  ASSERT_TRUE(page);
  for (const char* table : {"source", "build", "server", "train", "prove", "subject"}) {
    const std::string text = std::string(kSmall) + "";
    const auto recipe = parse(text, {std::string(table) + ".qqqqqqqqqqqq=1"});
    ASSERT_FALSE(recipe) << table;
    const std::string known = recipe.error().next;
    ASSERT_THAT(known, StartsWith("known: "));
    for (const std::string& key : split(known.substr(7), ',')) {
      EXPECT_THAT(*page, HasSubstr("`" + trim(key) + "`")) << table;
    }
  }
}

TEST_F(RecipeTest, KnownSubjectsAreRead) {
  for (const char* subject : {"subjects/nghttpx", "subjects/origin"}) {
    const auto recipe = load_recipe(subject, {}, system_);
    EXPECT_TRUE(recipe) << recipe.error().what;
  }
}

TEST_F(RecipeTest, AShapeWithAGeneratorTrainsAndIsNotProved) {
  // The documentation's second example, behind a recipe that can be proved.
  const auto page = system_.files->read("docs/recipe.md");
  ASSERT_TRUE(page);
  const std::size_t from = page->find("```toml\n", page->find("#### [shape.generator]")) + 8;
  const auto recipe = parse(kSmall + page->substr(from, page->find("```", from) - from));
  ASSERT_TRUE(recipe) << recipe.error().what;
  const subject::Shape& shape = recipe->shapes.back();
  ASSERT_TRUE(shape.generator);
  EXPECT_EQ(shape.generator->command.front(), "h2load");
  EXPECT_EQ(shape.generator->answers, "(\\d+) succeeded");
  EXPECT_TRUE(shape.train);
  EXPECT_FALSE(shape.prove);
  const auto again = value_from<Recipe>(Json(*recipe), "recipe");
  ASSERT_TRUE(again);
  EXPECT_EQ(Json(*again), Json(*recipe));

  const std::string shape_text = std::string(kSmall) + "[[shape]]\nname = 'x'\n";
  EXPECT_THAT(fault(shape_text + "protocol = 'h3'\n"), HasSubstr("over TLS only"));
  EXPECT_TRUE(parse(shape_text + "protocol = 'h3'\ntls = true\n"));
  EXPECT_TRUE(parse(shape_text + "protocol = 'grpc'\n"));
  const std::string table = "[shape.generator]\ncommand = ['wrk']\n";
  EXPECT_THAT(fault(shape_text + "prove = true\n" + table + "answers = '(1)'\n"),
              HasSubstr("cannot be proved"));
  EXPECT_THAT(fault(shape_text + table), HasSubstr("exactly one of"));
  EXPECT_THAT(fault(shape_text + "[shape.generator]\ncommand = ['wrk', '-d{second}']\n"
                                 "answers = '(1)'\n"),
              HasSubstr("{second}"));
  EXPECT_THAT(fault(shape_text + table + "answers = 'a(b'\n"), HasSubstr("no regular expression"));
  EXPECT_THAT(fault(shape_text + table + "answers = 'a'\n"), HasSubstr("needs one group"));
  EXPECT_THAT(fault(shape_text + table + "answers_json = 'ok'\n"), HasSubstr("JSON pointer"));
}

TEST_F(RecipeTest, JsonRoundTrip) {
  const auto recipe = parse(kSmall);
  ASSERT_TRUE(recipe);
  const auto again = value_from<Recipe>(Json(*recipe), "recipe");
  ASSERT_TRUE(again);
  EXPECT_EQ(Json(*again), Json(*recipe));
}

TEST_F(RecipeTest, UnknownKeysNameTheNearest) {
  EXPECT_EQ(fault(std::string(kSmall) + "[prove]\n  conections = 3\n"),
            "recipe.toml:10:3: unknown key 'conections' in [prove]; did you mean 'connections'?");
  EXPECT_EQ(kind_, ErrorKind::kRecipe);
  EXPECT_EQ(fault(std::string(kSmall) + "[prov]\nrounds = 3\n"),
            "recipe.toml:9:2: unknown key 'prov' in the recipe; did you mean 'prove'?");
  EXPECT_THAT(fault(with("name = ", "nam = ")),
              StartsWith("recipe.toml:8:1: unknown key 'nam' in [[shape]]"));
  // Before the complaint that `command` is missing: the misspelling explains it.
  EXPECT_THAT(fault(with("command", "comand")), HasSubstr("did you mean 'command'?"));
}

TEST_F(RecipeTest, SyntaxErrorsHaveAPosition) {
  EXPECT_THAT(fault("[source]\napt = nghttp2\n"), StartsWith("recipe.toml:2:"));
  EXPECT_EQ(kind_, ErrorKind::kRecipe);
  EXPECT_THAT(fault("[source]\napt = 'a'\napt = 'b'\n"), StartsWith("recipe.toml:3:"));
  EXPECT_THAT(fault("\xff\xfe"), StartsWith("recipe.toml:1:"));
  // Found by the fuzzer: an assertion and an unreachable branch of the TOML library.
  EXPECT_THAT(fault("[a]\nb = \xc3\xa9\n"), StartsWith("recipe.toml:2:"));
  EXPECT_THAT(fault("[.["), StartsWith("recipe.toml:1:"));
  EXPECT_THAT(fault("[a]\nb = { . = 1 }"), StartsWith("recipe.toml:2:"));
}

TEST_F(RecipeTest, LettersBeyondAsciiAreText) {
  const auto recipe = parse(
      std::string("[subject]\nsummary = \"\"\"proxy \\\n  \xc3\xa9t\xc3\xa9\"\"\"\n") + kSmall);
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->summary, "proxy \xc3\xa9t\xc3\xa9");
}

TEST_F(RecipeTest, WrongTypes) {
  EXPECT_EQ(fault(with("apt = \"nghttp2\"", "apt = 3")),
            "recipe.toml:2:7: apt in [source] must be text, not a whole number");
  EXPECT_EQ(fault(with("[\"{binary}\", \"--port={port}\"]", "\"x\"")),
            "recipe.toml:6:11: command in [server] must be an array, not text");
  EXPECT_EQ(fault(with("\"--port={port}\"", "3")),
            "recipe.toml:6:24: every item of command in [server] must be text, not a whole number");
  EXPECT_EQ(fault(std::string("source = 1\n")),
            "recipe.toml:1:10: source in the recipe must be a table, not a whole number");
  EXPECT_THAT(fault(std::string(kSmall) + "train = 1\n"), HasSubstr("must be true or false"));
  EXPECT_THAT(fault(std::string(kSmall) + "share = 2020-01-01\n"), HasSubstr("a date or time"));
}

TEST_F(RecipeTest, LoadAndOriginMayBeOnOtherHosts) {
  const std::string prove = std::string(kSmall) + "[prove]\n";
  const auto recipe = parse(prove +
                            "load_via = ['ssh', 'load1']\nload_hone = '/opt/hone'\n"
                            "server_address = '10.0.0.1'\norigin_via = ['ssh', 'origin1']\n"
                            "origin_address = '10.0.0.3'\n");
  ASSERT_TRUE(recipe) << recipe.error().what;
  const subject::Hosts& hosts = recipe->prove.hosts;
  EXPECT_THAT(hosts.load.via, ElementsAre("ssh", "load1"));
  EXPECT_EQ(hosts.load.hone, "/opt/hone");
  EXPECT_EQ(hosts.server_address, "10.0.0.1");
  EXPECT_THAT(hosts.origin.via, ElementsAre("ssh", "origin1"));
  EXPECT_EQ(hosts.origin.hone, "hone");
  EXPECT_EQ(hosts.origin_address, "10.0.0.3");
  EXPECT_FALSE(parse(kSmall)->prove.hosts.load.is_far());
  EXPECT_TRUE(parse(prove, {"prove.load_via=[]"}));

  EXPECT_THAT(fault(prove + "load_via = ['ssh', 'load1']\n"),
              HasSubstr("load_via in [prove] needs server_address"));
  EXPECT_THAT(fault(prove + "load_hone = 'x'\n"), HasSubstr("load_hone in [prove] needs load_via"));
  EXPECT_THAT(fault(prove + "origin_via = ['x']\n"), HasSubstr("needs origin_address"));
  EXPECT_THAT(fault(prove + "origin_address = 'x'\n"), HasSubstr("needs origin_via"));
  EXPECT_THAT(fault(prove + "load_via = 'ssh load1'\n"), HasSubstr("must be an array"));
  EXPECT_TRUE(parse(with("--port={port}", "--listen={host}:{port}")));
}

TEST_F(RecipeTest, MissingParts) {
  EXPECT_THAT(fault(""), StartsWith("recipe.toml: the recipe needs 'source'"));
  EXPECT_THAT(fault("[source]\napt = 'x'\n"), HasSubstr("needs 'build'"));
  EXPECT_THAT(fault(with("apt = \"nghttp2\"\n", "")),
              StartsWith("recipe.toml:1:1: [source] needs exactly one of 'path' and 'apt'"));
  EXPECT_THAT(fault(with("binary = \"src/nghttpx\"\n", "")),
              StartsWith("recipe.toml:3:1: [build] needs 'binary'"));
  EXPECT_THAT(fault(with("command = [\"{binary}\", \"--port={port}\"]\n", "")),
              StartsWith("recipe.toml:5:1: [server] needs 'command'"));
  EXPECT_THAT(fault(with("name = \"h1-4k\"\n", "")), HasSubstr("[[shape]] needs 'name'"));
  EXPECT_THAT(fault(with("[[shape]]\nname = \"h1-4k\"\n", "")), HasSubstr("needs 'shape'"));
  EXPECT_THAT(fault(with("[\"{binary}\", \"--port={port}\"]", "[]")), HasSubstr("is empty"));
}

struct OutOfRange {
  std::string table, line;
};
class RangeTest : public RecipeTest, public testing::WithParamInterface<OutOfRange> {};
TEST_P(RangeTest, IsRefusedWithItsPosition) {
  const std::string said =
      fault(std::string(kSmall) + GetParam().table + "\n" + GetParam().line + "\n");
  EXPECT_THAT(said, StartsWith("recipe.toml:"));
  EXPECT_THAT(said, testing::AnyOf(HasSubstr("out of range"), HasSubstr("more than 65535"),
                                   HasSubstr("shorter than slice"), HasSubstr("is not a"),
                                   HasSubstr("becomes a file name")));
  EXPECT_EQ(kind_, ErrorKind::kRecipe);
}
INSTANTIATE_TEST_SUITE_P(
    Ranges, RangeTest,
    testing::Values(OutOfRange{"[prove]", "rounds = 1"}, OutOfRange{"[prove]", "slices = 1"},
                    OutOfRange{"[prove]", "slices = 33"}, OutOfRange{"[prove]", "slice = 0"},
                    OutOfRange{"[prove]", "slice = -1"}, OutOfRange{"[prove]", "slice = nan"},
                    OutOfRange{"[prove]", "slice = 'fast'"}, OutOfRange{"[prove]", "head = 0.5"},
                    OutOfRange{"[prove]", "slice = 0.1"}, OutOfRange{"[prove]", "connections = 0"},
                    OutOfRange{"[prove]", "connections = 65536"},
                    OutOfRange{"[prove]", "smallest_effect = 0"},
                    OutOfRange{"[prove]", "seed = -1"}, OutOfRange{"[train]", "leg = 0"},
                    OutOfRange{"[train]", "starts_per_requests = 0"},
                    OutOfRange{"[[load]]", "name = 'x'\nbusy = 1.0"},
                    OutOfRange{"[[load]]", "name = 'x'\nbusy = 0"},
                    OutOfRange{"[[load]]", "name = 'x'\nrate = 0"},
                    OutOfRange{"[[load]]", "name = 'a/b'\nrate = 1"},
                    OutOfRange{"[[shape]]", "name = 'b'\nshare = 0"},
                    OutOfRange{"[[shape]]", "name = 'b'\nshare = inf"},
                    OutOfRange{"[[shape]]", "name = 'b'\nbody = -1"},
                    OutOfRange{"[[shape]]", "name = '..'"}, OutOfRange{"[[shape]]", "name = ''"},
                    OutOfRange{"[[shape]]", "name = 'b'\nmethod = 'GET /'"},
                    OutOfRange{"[subject]", "name = 'a b'"}));

TEST_F(RecipeTest, ConnectionsCountAllWorkers) {
  EXPECT_THAT(fault(with("[[shape]]", "workers = 1024\n[prove]\nconnections = 64\n[[shape]]")),
              HasSubstr("64 times 1024 workers are more than 65535"));
  EXPECT_THAT(fault(with("[[shape]]", "workers = 1025\n[[shape]]")), HasSubstr("1 to 1024"));
}

TEST_F(RecipeTest, UnknownChoicesNameTheNearest) {
  EXPECT_THAT(fault(std::string(kSmall) + "protocol = 'h11'\n"),
              HasSubstr("unknown protocol 'h11' in [[shape]]; did you mean 'h1'?"));
  EXPECT_THAT(fault(with("binary =", "system = 'cmak'\nbinary =")),
              HasSubstr("unknown build system 'cmak' in [build]; did you mean 'cmake'?"));
  EXPECT_THAT(fault(std::string(kSmall) + "[[load]]\nname='x'\nrate=1\narrivals='poison'\n"),
              HasSubstr("unknown arrivals 'poison' in [[load]]; did you mean 'poisson'?"));
  EXPECT_THAT(fault(with("[[shape]]", "stop = {signal = 'TREM'}\n[[shape]]")),
              StartsWith("recipe.toml:7:18: unknown signal 'TREM'"));
}

TEST_F(RecipeTest, ExactlyOneOf) {
  EXPECT_THAT(fault(std::string(kSmall) + "[[load]]\nname = 'x'\nrate = 1\nbusy = 0.5\n"),
              StartsWith("recipe.toml:12:8: [[load]] has both 'rate' and 'busy'"));
  EXPECT_THAT(fault(std::string(kSmall) + "[[load]]\nname = 'x'\n"),
              HasSubstr("[[load]] needs exactly one of 'rate' and 'busy'"));
  EXPECT_THAT(fault(with("apt =", "path = '.'\napt =")), HasSubstr("has both 'path' and 'apt'"));
  EXPECT_THAT(fault(with("[[shape]]", "stop = {signal='TERM', post='http://x/'}\n[[shape]]")),
              HasSubstr("has both 'signal' and 'post'"));
}

TEST_F(RecipeTest, NamesAreUniqueAndNotReserved) {
  EXPECT_THAT(fault(std::string(kSmall) + "[[shape]]\nname = 'h1-4k'\n"),
              StartsWith("recipe.toml:10:8: two shapes are named 'h1-4k'"));
  EXPECT_THAT(fault(with("h1-4k", "start-up")), HasSubstr("choose another name"));
  EXPECT_THAT(fault(std::string(kSmall) + "[[load]]\nname='x'\nrate=1\n[[load]]\nname='x'\nrate=2"),
              HasSubstr("two loads are named 'x'"));
}

TEST_F(RecipeTest, PlaceholdersAreChecked) {
  EXPECT_THAT(fault(with("{port}", "{prt}")),
              StartsWith("recipe.toml:6:24: command in [server]: unknown placeholder {prt}"));
  EXPECT_THAT(fault(with("[[shape]]", "ready = {http = 'http://{hots}/'}\n[[shape]]")),
              HasSubstr("unknown placeholder {hots}"));
  EXPECT_THAT(fault(with("[[shape]]", "ready = {http = 'localhost:{port}'}\n[[shape]]")),
              HasSubstr("must begin with http://"));
}

TEST_F(RecipeTest, FilesAreReadBesideTheRecipe) {
  ASSERT_TRUE(system_.files->write(folder_ / "x.conf.mustache", "port {{port}}\n"));
  const std::string text = with("[[shape]]", "files = ['x.conf.mustache']\n[[shape]]");
  const auto recipe = parse(text);
  ASSERT_TRUE(recipe) << recipe.error().what;
  ASSERT_EQ(recipe->server.files.size(), 1U);
  EXPECT_EQ(recipe->server.files[0].name, "x.conf");
  EXPECT_EQ(recipe->server.files[0].text, "port {{port}}\n");
  EXPECT_THAT(fault(with("[[shape]]", "files = ['y.conf']\n[[shape]]")),
              StartsWith("recipe.toml:7:10: files in [server]: "));
  ASSERT_TRUE(system_.files->write(folder_ / "x.conf", ""));
  EXPECT_THAT(fault(with("[[shape]]", "files = ['x.conf', 'x.conf.mustache']\n[[shape]]")),
              HasSubstr("two of them become 'x.conf'"));
}

TEST_F(RecipeTest, SourcePathIsMadeAbsolute) {
  ASSERT_TRUE(system_.files->make_directories(folder_ / "tree"));
  const auto recipe = parse(with("apt = \"nghttp2\"", "path = \"./tree\""));
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->source.path, (folder_ / "tree").string());
  EXPECT_THAT(fault(with("apt = \"nghttp2\"", "path = \"gone\"")),
              StartsWith("recipe.toml:2:8: no folder gone"));
}

TEST_F(RecipeTest, Headers) {
  EXPECT_THAT(fault(std::string(kSmall) + "headers = {Host = 'x'}\n"),
              HasSubstr("'Host' is set by hone itself"));
  EXPECT_THAT(fault(std::string(kSmall) + "headers = {'a b' = 'x'}\n"),
              HasSubstr("not a header name"));
  EXPECT_THAT(fault(std::string(kSmall) + "headers = {a = \"x\\r\\nb: c\"}\n"),
              HasSubstr("without line breaks"));
}

TEST_F(RecipeTest, ZeroBytesAreRefused) {
  EXPECT_THAT(fault(with("--port={port}", "a\\u0000b")), HasSubstr("zero byte"));
}

TEST_F(RecipeTest, CommandsBelongToCustom) {
  EXPECT_THAT(fault(with("binary =", "commands = ['make']\nbinary =")),
              HasSubstr("belongs to system = \"custom\""));
  EXPECT_THAT(fault(with("binary =", "system = 'custom'\nbinary =")),
              HasSubstr("[build] needs 'commands'"));
}

TEST_F(RecipeTest, SetChangesValues) {
  const auto recipe = parse(kSmall, {"prove.rounds=6", "shape.h1-4k.train=false",
                                     "load.busy.rate=500", "load.busy.arrivals=burst:16",
                                     "train.leg=250ms", "server.command=['{binary}', '-x']"});
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->prove.rounds, 6);
  EXPECT_FALSE(recipe->shapes[0].train);
  EXPECT_DOUBLE_EQ(recipe->loads[0].rate, 500);
  EXPECT_DOUBLE_EQ(recipe->loads[0].busy, 0);
  EXPECT_EQ(recipe->loads[0].arrivals, "burst:16");
  EXPECT_DOUBLE_EQ(recipe->train.leg_s, 0.25);
  EXPECT_THAT(recipe->server.command, ElementsAre("{binary}", "-x"));
}

TEST_F(RecipeTest, SetPathTakesThePlaceOfApt) {
  const auto recipe = parse(kSmall, {"source.path=" + folder_.path().string()});
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->source.path, folder_.path().string());
  EXPECT_EQ(recipe->source.apt, "");
}

TEST_F(RecipeTest, SetFaultsAreUsageErrors) {
  EXPECT_EQ(fault(kSmall, {"prove.conections=3"}),
            "--set prove.conections=3: unknown key 'conections' in [prove]; did you mean "
            "'connections'?");
  EXPECT_EQ(kind_, ErrorKind::kUsage);
  EXPECT_THAT(fault(kSmall, {"prov.rounds=3"}), HasSubstr("did you mean 'prove'?"));
  EXPECT_EQ(kind_, ErrorKind::kUsage);
  EXPECT_THAT(fault(kSmall, {"prove.rounds=1"}), HasSubstr("out of range: 2 to 10000"));
  EXPECT_EQ(kind_, ErrorKind::kUsage);
  EXPECT_THAT(fault(kSmall, {"shape.h1-4.train=false"}), HasSubstr("no [[shape]] is named 'h1-4'"));
  EXPECT_EQ(kind_, ErrorKind::kUsage);
  EXPECT_THAT(fault(kSmall, {"shape.h1-4k"}), HasSubstr("no '='"));
  EXPECT_THAT(fault(kSmall, {"rounds=3"}), HasSubstr("no table"));
  EXPECT_THAT(fault(kSmall, {"prove..rounds=3"}), HasSubstr("empty"));
  EXPECT_THAT(fault(kSmall, {"shape.train=3"}), HasSubstr("its entry is missing"));
  EXPECT_THAT(fault(kSmall, {"source.apt.x=3"}), HasSubstr("is text, not a table"));
  EXPECT_EQ(kind_, ErrorKind::kUsage);
  // A line break is no way to a second key.
  EXPECT_THAT(fault(kSmall, {"prove.rounds=7\nrounds = 8"}), HasSubstr("not text"));
}

TEST_F(RecipeTest, MissingFileSaysWhatIsWanted) {
  const auto recipe = load_recipe(folder_.path(), {}, system_);
  ASSERT_FALSE(recipe);
  EXPECT_THAT(recipe.error().what, HasSubstr("recipe.toml"));
  EXPECT_NE(recipe.error().next, "");
}

}  // namespace
}  // namespace hone::pipeline
