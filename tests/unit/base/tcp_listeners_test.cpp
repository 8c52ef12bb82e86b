#include "base/sys/tcp_listeners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::sys {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TcpListeners, OnlyListeningSocketsOfATableAreListed) {
  EXPECT_THAT(
      parse_tcp_listeners(
          "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
          "timeout inode\n"
          "   0: 0100007F:5DC1 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000       "
          " "
          "0 4711 1 0000000000000000 100 0 0 10 0\n"
          "   1: 0100007F:5DC1 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000       "
          " "
          "0 4712 1 0000000000000000 20 4 30 10 -1\n"),
      ElementsAre(TcpListener{.inode = 4711, .host = "127.0.0.1", .port = 24001}));
}

TEST(TcpListeners, AddressesOfVersionSixStandInBrackets) {
  EXPECT_THAT(parse_tcp_listeners("   0: 00000000000000000000000001000000:1F40 "
                                  "00000000000000000000000000000000:0000 0A 00000000:00000000 "
                                  "00:00000000 00000000  0  0 99 1 0 100 0 0 10 0\n"),
              ElementsAre(TcpListener{.inode = 99, .host = "[::1]", .port = 8000}));
}

TEST(TcpListeners, MalformedLinesAreLeftOut) {
  EXPECT_THAT(parse_tcp_listeners(""), IsEmpty());
  EXPECT_THAT(parse_tcp_listeners("nonsense\n\n : :\n"), IsEmpty());
  EXPECT_THAT(parse_tcp_listeners("0: 0100007F 0 0A a b c d e 1\n0: 01:zz 0 0A a b c d e 1\n"
                                  "0: 0100007F:5DC1 0 0A 0 0 0 0 0 many\n"),
              IsEmpty());
}

}  // namespace
}  // namespace bellows::sys
