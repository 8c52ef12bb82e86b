#include "base/sys/service_manager.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "base/error.hpp"

namespace bellows::sys {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr long kSelf = 4711;

TEST(PassedSockets, AreCountedAndNamedForThisProcess) {
  const auto passed = read_passed_numbers("4711", "2", "listen:admin", kSelf);
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->count, 2);
  EXPECT_THAT(passed->names, ElementsAre("listen", "admin"));
}

TEST(PassedSockets, HaveEmptyNamesWhereTheManagerGivesNone) {
  const auto passed = read_passed_numbers("4711", "2", "listen", kSelf);
  ASSERT_TRUE(passed);
  EXPECT_THAT(passed->names, ElementsAre("listen", ""));
}

TEST(PassedSockets, OfAnotherProcessOrOfNobodyAreNone) {
  EXPECT_EQ(read_passed_numbers("4710", "2", "", kSelf)->count, 0);
  EXPECT_EQ(read_passed_numbers("", "2", "", kSelf)->count, 0);
  EXPECT_EQ(read_passed_numbers("4711", "", "", kSelf)->count, 0);
  EXPECT_EQ(read_passed_numbers("4711x", "1", "", kSelf)->count, 0);
}

TEST(PassedSockets, WantACount) {
  for (const char* count : {"two", "-1", "1x", "99999"}) {
    const auto passed = read_passed_numbers("4711", count, "", kSelf);
    ASSERT_FALSE(passed) << count;
    EXPECT_THAT(to_string(passed.error()), HasSubstr(std::string("$LISTEN_FDS: \"") + count));
  }
}

/// A manager's socket with an abstract name that the kernel picks.
class ManagerSocket {
 public:
  ManagerSocket() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ::bind(socket_.get(), pointer(address), sizeof address.sun_family);
    socklen_t size = sizeof address;
    ::getsockname(socket_.get(), pointer(address), &size);
    name_ = "@" + std::string(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
  }
  const std::string& name() const { return name_; }

  std::string received() {
    std::array<char, 256> text{};
    const ssize_t length = ::recv(socket_.get(), text.data(), text.size(), 0);
    return length < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(length));
  }

 private:
  static sockaddr* pointer(sockaddr_un& address) {
    return reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the socket calls want it
  }

  Descriptor socket_;
  std::string name_;
};

TEST(AServiceManager, IsToldInItsProtocol) {
  ManagerSocket socket;
  const ServiceManager manager(socket.name());
  manager.ready();
  EXPECT_EQ(socket.received(), "READY=1");
  manager.reloading(TimePoint(2s));
  EXPECT_EQ(socket.received(), "RELOADING=1\nMONOTONIC_USEC=2000000");
  manager.stopping(90s);
  EXPECT_EQ(socket.received(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=90000000");
  EXPECT_EQ(socket.received(), "nothing");
}

TEST(AServiceManager, ThatHasGoneOrHasNoPlaceIsNoError) {
  ServiceManager().ready();
  ServiceManager("/nonexistent/notify").ready();
  ServiceManager(std::string(500, 'x')).ready();
}

}  // namespace
}  // namespace bellows::sys
