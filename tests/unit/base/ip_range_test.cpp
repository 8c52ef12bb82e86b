#include "base/ip_range.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows {
namespace {

bool holds(std::string_view range, std::string_view address) {
  const auto network = parse_ip_range(range);
  const auto one = parse_ip_address(address);
  EXPECT_TRUE(network.has_value()) << range;
  EXPECT_TRUE(one.has_value()) << address;
  return network && one && network->contains(*one);
}

TEST(IpRange, HoldsTheAddressesOfItsPrefix) {
  EXPECT_TRUE(holds("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(holds("172.16.0.0/12", "172.31.255.255"));
  EXPECT_FALSE(holds("172.16.0.0/12", "172.32.0.0"));
  EXPECT_TRUE(holds("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(holds("192.0.2.7", "192.0.2.8"));
  EXPECT_TRUE(holds("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1")) << "all of IPv4";
  EXPECT_TRUE(holds("::/0", "203.0.113.9"));
  EXPECT_TRUE(holds("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(holds("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_TRUE(holds("192.0.2.0/24", "::ffff:192.0.2.1")) << "a client of a dual-stack port";
}

TEST(IpAddress, IsReadInEachOfItsForms) {
  EXPECT_EQ(parse_ip_address("::1"), parse_ip_address("0:0:0:0:0:0:0:1"));
  EXPECT_EQ(parse_ip_address("2001:DB8::a"), parse_ip_address("2001:db8:0:0:0:0:0:000a"));
  EXPECT_EQ(parse_ip_address("::ffff:1.2.3.4"), parse_ip_address("1.2.3.4"));
  EXPECT_EQ(parse_ip_address("1::"), parse_ip_address("1:0:0:0:0:0:0:0"));
  EXPECT_TRUE(parse_ip_address("::").has_value());
}

TEST(IpAddress, NothingElseIsOne) {
  for (const char* text : {"",
                           "1.2.3",
                           "1.2.3.4.5",
                           "1.2.3.256",
                           "01.2.3.4",
                           "1.2.3.",
                           ".1.2.3",
                           "a.b.c.d",
                           ":",
                           ":::",
                           "1::2::3",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "12345::",
                           "g::",
                           "1:2:3:4:5:6:7:",
                           "[::1]",
                           "::1.2.3",
                           "1.2.3.4:80",
                           "-1.2.3.4",
                           "1:2:3:4:5:6:7:8::"}) {
    EXPECT_FALSE(parse_ip_address(text).has_value()) << text;
  }
}

TEST(IpRange, WithBitsBeyondItsPrefixIsAMistake) {
  for (const char* text : {"10.1.0.0/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/a", "10.0.0.0/-1",
                           "::1/64", "::/129", "/8", "10.0.0.0/8/8"}) {
    EXPECT_FALSE(parse_ip_range(text).has_value()) << text;
  }
}

TEST(PrivateIpRanges, HoldWhatIsNotOnTheInternet) {
  const auto is_private = [](std::string_view text) {
    bool is_one = false;
    for (const IpRange& range : private_ip_ranges()) {
      is_one |= range.contains(parse_ip_address(text).value());
    }
    return is_one;
  };
  for (const char* text : {"127.0.0.1", "10.2.3.4", "172.20.0.1", "192.168.1.1", "169.254.1.1",
                           "::1", "fd12::1", "fe80::1"}) {
    EXPECT_TRUE(is_private(text)) << text;
  }
  for (const char* text : {"8.8.8.8", "172.32.0.1", "192.169.0.1", "2001:db8::1", "100.64.0.1"}) {
    EXPECT_FALSE(is_private(text)) << text;
  }
}

}  // namespace
}  // namespace bellows
