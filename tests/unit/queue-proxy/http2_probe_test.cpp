#include "queue-proxy/core/http2_probe.hpp"

#include <gtest/gtest.h>

namespace bellows::queue_proxy {
namespace {

std::string bytes(std::initializer_list<int> list) {
  std::string text;
  for (const int each : list) text += static_cast<char>(each);
  return text;
}

/// Frames are short here: one byte of length is enough.
std::string frame(int type, int flags, int stream, std::string_view payload) {
  std::string head = bytes({0, 0, static_cast<int>(payload.size()), type, flags, 0, 0, 0, stream});
  return head += payload;
}

const std::string kSettings = frame(4, 0, 0, "");
const std::string kAck = frame(4, 1, 0, "");
const std::string kReplyHead = frame(1, 4, 1, "\x88");
const std::string kTrailers = frame(1, 5, 1, "\x88");

std::string message(std::string_view protobuf) {
  std::string text = bytes({0, 0, 0, 0, static_cast<int>(protobuf.size())});
  return text += protobuf;
}

TEST(Http2Probe, GreetsWithThePrefaceAndSettings) {
  EXPECT_EQ(http2_greeting(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + kSettings);
}

TEST(Http2Probe, CallsTheHealthServiceWithTheNameOfTheService) {
  const std::string call = health_call("127.0.0.1:80", "a.B");
  EXPECT_TRUE(call.starts_with(http2_greeting()));
  EXPECT_NE(call.find("/grpc.health.v1.Health/Check"), std::string::npos);
  EXPECT_NE(call.find("\x0c"
                      "127.0.0.1:80"),
            std::string::npos);
  EXPECT_TRUE(call.ends_with(frame(0, 1, 1,
                                   message("\x0a\x03"
                                           "a.B"))));
  EXPECT_TRUE(health_call("a", "").ends_with(frame(0, 1, 1, message(""))));
}

TEST(Http2Probe, TellsHttp2FromText) {
  Http2Answer http2;
  EXPECT_TRUE(http2.feed(kSettings.substr(0, 5)));
  EXPECT_FALSE(http2.speaks_http2());
  EXPECT_TRUE(http2.feed(kSettings.substr(5)));
  EXPECT_TRUE(http2.speaks_http2());
  EXPECT_EQ(http2.take_reply(), kAck);
  EXPECT_EQ(http2.take_reply(), "");
  Http2Answer text;
  EXPECT_TRUE(text.feed("HTTP/1.1"));
  EXPECT_FALSE(text.feed(" 400 Bad Request\r\n"));
  EXPECT_FALSE(text.speaks_http2());
}

TEST(Http2Probe, ReadsWhatTheHealthServiceSays) {
  struct Row {
    std::string frames;
    std::optional<Health> health;
  };
  const std::string padded = bytes({2}) + message("\x08\x01") + bytes({0, 0});
  const Row table[] = {
      {kReplyHead, std::nullopt},
      {kReplyHead + frame(0, 0, 1, message("\x08\x01")), Health::kServing},
      {kReplyHead + frame(0, 8, 1, padded), Health::kServing},
      {kReplyHead + frame(0, 0, 1, message("\x08\x01").substr(0, 4)), std::nullopt},
      {kReplyHead + frame(0, 0, 1, message("\x08\x02")), Health::kNotServing},
      {kReplyHead + frame(0, 0, 1, message("")), Health::kNotServing},
      {kReplyHead + frame(0, 1, 1, "abc"), Health::kFailed},
      {kReplyHead + frame(0, 1, 1, bytes({1, 0, 0, 0, 2}) + "\x08\x01"), Health::kFailed},
      {kReplyHead + kTrailers, Health::kFailed},
      {kTrailers, Health::kFailed},
      {frame(3, 0, 1, bytes({0, 0, 0, 7})), Health::kFailed},
      {frame(6, 0, 0, "12345678") + frame(8, 0, 0, "1234"), std::nullopt},
  };
  for (const Row& row : table) {
    Http2Answer answer;
    std::string all = kSettings + row.frames;
    for (const char each : all) EXPECT_TRUE(answer.feed({&each, 1}));
    EXPECT_EQ(answer.health(), row.health) << testing::PrintToString(row.frames);
  }
}

TEST(Http2Probe, EndsWithAConnectionThatGoesAwayOrSendsTooMuch) {
  Http2Answer left;
  EXPECT_FALSE(left.feed(kSettings + frame(7, 0, 0, "12345678")));
  Http2Answer large;
  EXPECT_TRUE(large.feed(kSettings));
  EXPECT_FALSE(large.feed(std::string(Http2Answer::kMaxBytes, '\0')));
}

}  // namespace
}  // namespace bellows::queue_proxy
