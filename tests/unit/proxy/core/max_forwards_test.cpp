#include "proxy/core/max_forwards.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "proxy/core/header_rules.hpp"

namespace bellows::proxy {
namespace {

/// The result of a request: the status of its local reply, or the count that is forwarded.
std::string fate(const std::string& method, const std::string& lines) {
  const std::string text = method + " / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  http::HeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  if (!parser.read(text, *head).is_complete()) return "no head";
  if (counts_hops(*head)) {
    if (const auto answer = local_reply_at_last_hop(*head)) {
      return std::to_string(answer->status) + " " + std::string(answer->reason);
    }
  }
  std::string out;
  write_request_head(*head, {.downstream = Peer::kInside}, false, out);
  const std::size_t start = std::string("\r\nHost: a\r\n").size() + out.find("\r\nHost: a\r\n");
  return out.substr(start, out.size() - start - 2);
}

TEST(MaxForwards, IsForwardedDecremented) {
  EXPECT_EQ(fate("OPTIONS", "Max-Forwards: 7\r\n"), "Max-Forwards: 6\r\n");
  EXPECT_EQ(fate("TRACE", "max-forwards:  1 \r\nX-A: 1\r\n"), "X-A: 1\r\nMax-Forwards: 0\r\n");
  EXPECT_EQ(fate("OPTIONS", "Max-Forwards: 99999999999999999999\r\n"),
            "Max-Forwards: 2147483646\r\n");
}

TEST(MaxForwards, OfZeroGetsALocalReply) {
  EXPECT_EQ(fate("OPTIONS", "Max-Forwards: 0\r\n"), "204 max-forwards");
  EXPECT_EQ(fate("TRACE", "Max-Forwards: 0\r\n"), "405 max-forwards");
}

TEST(MaxForwards, ThatIsNotANumberIsRejected) {
  for (const char* count : {"", "-1", "+1", "1.5", "0x1", "1 2", "one"}) {
    EXPECT_EQ(fate("OPTIONS", "Max-Forwards: " + std::string(count) + "\r\n"), "400 malformed")
        << count;
  }
  EXPECT_EQ(fate("TRACE", "Max-Forwards: 2\r\nMax-Forwards: 3\r\n"), "400 malformed");
}

TEST(MaxForwards, IsIgnoredForOtherMethods) {
  EXPECT_EQ(fate("GET", "Max-Forwards: 0\r\n"), "Max-Forwards: 0\r\n");
  EXPECT_EQ(fate("TRICK", "Max-Forwards: 0\r\n"), "Max-Forwards: 0\r\n");
  EXPECT_EQ(fate("OPTIONS", "X-A: 1\r\n"), "X-A: 1\r\n");
}

}  // namespace
}  // namespace bellows::proxy
