#include "proxy/core/hop_headers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::proxy {
namespace {

/// The text stays valid as long as the parsed head is used.
class ParsedResponse {
 public:
  explicit ParsedResponse(const std::string& lines)
      : text_("HTTP/1.1 200 OK\r\n" + lines + "\r\n") {
    http::HeadParser parser;
    EXPECT_TRUE(parser.read(text_, head_).is_complete()) << lines;
  }
  const http::Fields& fields() const { return head_.fields; }

 private:
  const std::string text_;
  http::ResponseHead head_;
};

TEST(HopHeaders, AreReadAsTheyWereWritten) {
  std::string lines;
  append_hop_headers({.in_flight = 7,
                      .queue_ms = 1500,
                      .reason = "reset",
                      .may_retry_elsewhere = true,
                      .runs = 2,
                      .timed_out_in_queue = true},
                     lines);
  EXPECT_EQ(lines,
            "X-Bellows-In-Flight: 7\r\nX-Bellows-Queue-Ms: 1500\r\nX-Bellows-Reason: reset\r\n"
            "X-Bellows-Retry: elsewhere\r\nX-Bellows-Runs: 2\r\nX-Bellows-Queue: timeout\r\n");
  const ParsedResponse response(lines);
  const HopHeaders headers = read_hop_headers(response.fields());
  EXPECT_EQ(headers.in_flight, 7);
  EXPECT_EQ(headers.queue_ms, 1500);
  EXPECT_EQ(headers.reason, "reset");
  EXPECT_TRUE(headers.may_retry_elsewhere);
  EXPECT_EQ(headers.runs, 2);
  EXPECT_TRUE(headers.timed_out_in_queue);
}

TEST(HopHeaders, OfAnOrdinaryResponseAreAbsent) {
  const ParsedResponse response("Server: app\r\n");
  const HopHeaders headers = read_hop_headers(response.fields());
  EXPECT_FALSE(headers.in_flight || headers.queue_ms || headers.reason);
  EXPECT_FALSE(headers.may_retry_elsewhere || headers.timed_out_in_queue);
  std::string lines;
  append_hop_headers(headers, lines);
  EXPECT_EQ(lines, "");
}

TEST(HopHeaders, IgnoreNumbersThatAreMalformedNegativeOrTooLarge) {
  for (const char* number : {"", "many", "-1", "1.5", "2147483648"}) {
    const ParsedResponse response("X-Bellows-In-Flight: " + std::string(number) +
                                  "\r\nX-Bellows-Queue-Ms: " + number + "\r\n");
    EXPECT_FALSE(read_hop_headers(response.fields()).in_flight) << number;
    EXPECT_FALSE(read_hop_headers(response.fields()).queue_ms) << number;
  }
}

TEST(HopHeaders, SayHowLongARequestWaitsForASlot) {
  for (const SlotWait wait : {SlotWait::kUnbounded, SlotWait::kNone, SlotWait::kBrief}) {
    EXPECT_EQ(read_slot_wait(ParsedResponse(std::string(slot_wait_line(wait))).fields()), wait);
  }
  for (const char* lines : {"X-Bellows-Queue-Ms: 1\r\n", "X-Bellows-Wait: 5m\r\n"}) {
    EXPECT_EQ(read_slot_wait(ParsedResponse(lines).fields()), SlotWait::kUnbounded) << lines;
  }
}

TEST(HopHeaders, GivenTwiceHaveTheFirstValue) {
  const ParsedResponse response("X-Bellows-Reason: reset\r\nX-Bellows-Reason: timeout\r\n");
  EXPECT_EQ(read_hop_headers(response.fields()).reason, "reset");
}

}  // namespace
}  // namespace bellows::proxy
