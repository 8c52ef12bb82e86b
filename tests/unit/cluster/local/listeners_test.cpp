#include "cluster/local/listeners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sys/descriptor.hpp"

namespace bellows::test {
namespace {

using cluster::Listener;
using cluster::parse_listeners;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ListenersTest, OnlyListeningSocketsOfATableAreListed) {
  EXPECT_THAT(
      parse_listeners(
          "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
          "timeout inode\n"
          "   0: 0100007F:5DC1 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000       "
          " "
          "0 4711 1 0000000000000000 100 0 0 10 0\n"
          "   1: 0100007F:5DC1 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000       "
          " "
          "0 4712 1 0000000000000000 20 4 30 10 -1\n"),
      ElementsAre(Listener{.inode = 4711, .address = "127.0.0.1:24001"}));
}

TEST(ListenersTest, AddressesOfVersionSixStandInBrackets) {
  EXPECT_THAT(parse_listeners("   0: 00000000000000000000000001000000:1F40 "
                              "00000000000000000000000000000000:0000 0A 00000000:00000000 "
                              "00:00000000 00000000  0  0 99 1 0 100 0 0 10 0\n"),
              ElementsAre(Listener{.inode = 99, .address = "[::1]:8000"}));
}

TEST(ListenersTest, MalformedLinesAreLeftOut) {
  EXPECT_THAT(parse_listeners(""), IsEmpty());
  EXPECT_THAT(parse_listeners("0: 0100007F 0 0A a b c d e 1\n0: 01:zz 0 0A a b c d e 1\n"
                              "0: 0100007F:5DC1 0 0A 0 0 0 0 0 many\n"),
              IsEmpty());
}

TEST(ListenersTest, FindsWhereThisProcessListens) {
  const sys::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const bound = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as bind() wants it
  ASSERT_EQ(::bind(listener.get(), bound, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), bound, &size), 0);
  EXPECT_THAT(cluster::listening_addresses(::getpid()),
              testing::HasSubstr("127.0.0.1:" + std::to_string(ntohs(address.sin_port))));
}

}  // namespace
}  // namespace bellows::test
