#include "cluster/local/port_allocator.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <set>

namespace bellows::cluster {
namespace {

TEST(AppPortRange, LiesBelowTheEphemeralPorts) {
  EXPECT_EQ(app_port_range("32768\t60999\n"), (PortRange{20000, 32767}));
}

TEST(AppPortRange, LiesAboveThemIfThereIsNoRoomBelow) {
  EXPECT_EQ(app_port_range("1024 60999"), (PortRange{61000, 65535}));
}

TEST(AppPortRange, LiesBelow20000IfThereIsNoRoomAboveEither) {
  EXPECT_EQ(app_port_range("15000 65535"), (PortRange{1024, 14999}));
}

TEST(AppPortRange, OverlapsIfNearlyAllPortsAreEphemeral) {
  EXPECT_EQ(app_port_range("1024 65535"), (PortRange{20000, 65535}));
}

TEST(AppPortRange, FallsBackToLinuxDefaultsForAnUnreadableText) {
  for (const char* text : {"", "many", "5", "60000 100", "0 70000"}) {
    EXPECT_EQ(app_port_range(text), (PortRange{20000, 32767})) << text;
  }
}

TEST(AppPorts, AreLeasedInOrderAndReusedLate) {
  SeededRandom random(1);
  PortAllocator ports(machine_app_port_range(), random);
  std::set<std::uint16_t> seen;
  for (int i = 0; i < 200; ++i) {
    const auto lease = ports.lease();  // released at once
    ASSERT_TRUE(lease.has_value()) << to_string(lease.error());
    EXPECT_TRUE(seen.insert(lease->port()).second) << lease->port() << " was leased twice";
  }
}

/// A listening socket on a port that the system chooses.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  std::uint16_t port() const { return port_; }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

TEST(AppPortThatIsBound, IsSkipped) {
  SeededRandom random(1);
  std::optional<Listener> listener(std::in_place);
  const std::uint16_t taken = listener->port();
  PortAllocator ports({taken, taken}, random);
  const auto refused = ports.lease();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  listener.reset();
  EXPECT_EQ(ports.lease().value().port(), taken);
}

TEST(AppPortThatIsLeased, IsNotLeasedAgainBeforeItIsReleased) {
  SeededRandom random(1);
  std::uint16_t port = 0;
  {
    const Listener listener;
    port = listener.port();
  }
  PortAllocator ports({port, port}, random);
  {
    const auto lease = ports.lease();
    ASSERT_TRUE(lease.has_value());
    EXPECT_FALSE(ports.lease().has_value());
  }
  EXPECT_TRUE(ports.lease().has_value());
}

TEST(AppPortThatIsLeased, IsNotLeasedByAnotherAllocator) {
  // Two Bellows processes on one machine begin at the same port, before either app listens.
  SeededRandom random(1);
  SeededRandom same(1);
  PortAllocator ours(machine_app_port_range(), random);
  PortAllocator theirs(machine_app_port_range(), same);
  const auto our_lease = ours.lease();
  const auto their_lease = theirs.lease();
  ASSERT_TRUE(our_lease.has_value() && their_lease.has_value());
  EXPECT_NE(our_lease->port(), their_lease->port());
}

}  // namespace
}  // namespace bellows::cluster
