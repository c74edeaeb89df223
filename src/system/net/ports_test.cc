#include <gtest/gtest.h>

#include <set>

#include "system/net/socket.h"

namespace hone::system::net {
namespace {

TEST(PortBudgetTest, PortsInTimeWaitCountForAMinuteOrTheRun) {
  const EphemeralPorts ports{32768, 60999, false};  // 28,232
  const Address peer{"192.0.2.1", 80};
  EXPECT_TRUE(check_port_budget(ports, peer, 100, 0, 1e6));
  EXPECT_TRUE(check_port_budget(ports, peer, 32, 470, 1000));  // 28,200 rest at any time
  EXPECT_FALSE(check_port_budget(ports, peer, 33, 470, 1000));
  EXPECT_TRUE(check_port_budget(ports, peer, 32, 2000, 14));  // it ends before they are used up
  const Status refused = check_port_budget(ports, peer, 32, 2000, 60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(ErrorKind::kMachineUnfit, refused.error().kind);
  EXPECT_NE(std::string::npos, refused.error().what.find("28232")) << refused.error().what;
  EXPECT_NE(std::string::npos, refused.error().next.find("ip_local_port_range"));
  EXPECT_NE(std::string::npos, refused.error().next.find("tcp_tw_reuse"));
}

TEST(PortBudgetTest, WithReuseAPortRestsForASecond) {
  const EphemeralPorts ports{32768, 60999, true};
  const Address peer{"127.0.0.1", 80};
  EXPECT_TRUE(check_port_budget(ports, peer, 100, 28'000, 60));
  const Status refused = check_port_budget(ports, peer, 100, 30'000, 60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::string::npos, refused.error().next.find("tcp_tw_reuse"));
}

TEST(PortBudgetTest, TheMachineTellsItsRangeAndUnixSocketsNeedNone) {
  const EphemeralPorts ports = ephemeral_ports({"127.0.0.1", 80});
  EXPECT_GT(ports.count(), 0);
  EXPECT_LE(ports.last, 65535);
  EXPECT_TRUE(check_port_budget({"unix:/tmp/x", 0}, 100, 1e9, 1e9));
}

TEST(FreePortsTest, AreOfTheAddressAndAllDifferent) {
  const auto ports = free_ports(3, "127.0.0.2");
  ASSERT_TRUE(ports) << ports.error().what;
  EXPECT_EQ(3U, std::set<std::uint16_t>(ports->begin(), ports->end()).size());
  const auto elsewhere = free_ports(1, "192.0.2.1");  // RFC 5737: nobody's
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(ErrorKind::kUsage, elsewhere.error().kind);
  EXPECT_NE(std::string::npos, elsewhere.error().what.find("192.0.2.1"));
}

}  // namespace
}  // namespace hone::system::net
