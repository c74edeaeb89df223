// Every way in which a process can end: with the library its counts are there, without it they are
// lost where a plain runtime loses them, and it ends as it would have ended.
#include "flush/flush_fixture.h"

namespace hone::flush {
namespace {

// Every way to end, with what the process should end as and whether a plain runtime loses it.
struct Ending {
  std::string name;
  std::vector<std::string> before;  // commands that are answered
  std::string last;                 // the command that ends it, or "kill N"
  std::string ended;
  bool lost_without;
  int more_turns = 0;
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.name; }

class EndingTest : public FlushTest, public testing::WithParamInterface<Ending> {
 protected:
  void end(Server& server) {
    EXPECT_EQ(server.ask("turns 100"), "ok");
    for (const std::string& command : GetParam().before) EXPECT_NE(server.ask(command), "");
    if (GetParam().last.starts_with("kill ")) {
      kill(server.pid(), std::stoi(GetParam().last.substr(5)));
    } else {
      server.say(GetParam().last);
    }
    EXPECT_EQ(server.ended(), GetParam().ended);
  }
};

TEST_P(EndingTest, KeepsTheProfile) {
  Server server = start();
  end(server);
  EXPECT_EQ(count(), 100 + GetParam().more_turns);
  EXPECT_EQ(profiles().size(), 1u);
}

TEST_P(EndingTest, IsLostWithoutTheLibraryWhereItShouldBe) {
  Server server = start_unprotected();
  end(server);
  if (GetParam().lost_without) {
    EXPECT_EQ(count(profiles(".*")), std::nullopt);
  } else {
    EXPECT_EQ(count(profiles(".*")), 100 + GetParam().more_turns);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, EndingTest,
    testing::Values(Ending{"Return", {}, "return", "exit 3", false},
                    Ending{"Exit", {}, "exit", "exit 3", false},
                    Ending{"PthreadExitOfTheLastThread", {}, "pthread_exit", "exit 0", false},
                    Ending{"UnderscoreExit", {}, "_exit", "exit 3", true},
                    Ending{"UnderscoreCapitalExit", {}, "_Exit", "exit 3", true},
                    Ending{"QuickExitAfterItsHandlers", {}, "quick_exit", "exit 3", true, 1},
                    Ending{"Abort", {}, "abort", "signal 6", true},
                    Ending{"Term", {}, "kill 15", "signal 15", true},
                    Ending{"Interrupt", {}, "kill 2", "signal 2", true},
                    Ending{"Quit", {}, "kill 3", "signal 3", true},
                    Ending{"HangUp", {}, "kill 1", "signal 1", true},
                    Ending{"TermWithHandlerThatExits", {"term-handler"}, "kill 15", "exit 7", true},
                    Ending{"TermSetToDefault", {"term-default"}, "kill 15", "signal 15", true},
                    Ending{"TermHandledThenDefault",
                           {"term-handler", "term-signal-default"},
                           "kill 15",
                           "signal 15",
                           true},
                    Ending{
                        "EverySignalSetToDefault", {"all-default"}, "kill 15", "signal 15", true},
                    Ending{"TermBySigwait", {"term-sigwait"}, "kill 15", "exit 9", false},
                    Ending{"TermWithABusyThread", {"turns 1"}, "kill 15", "signal 15", true, 1},
                    Ending{"FromAReadOnlyFolder", {"chdir /proc"}, "kill 15", "signal 15", true},
                    Ending{"WithClosedStreams", {"close-streams"}, "kill 15", "signal 15", true}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace hone::flush
