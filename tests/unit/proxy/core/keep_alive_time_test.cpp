#include "proxy/core/keep_alive_time.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/start.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::kStart;

TEST(KeepAliveTime, OfAnUpstreamThatHasShownNothingIsShort) {
  EXPECT_EQ(KeepAliveTime().safe(kStart), KeepAliveTime::kUnknown);
}

TEST(KeepAliveTime, HalfOfAPromiseIsSafe) {
  KeepAliveTime time;
  time.note_promise(seconds(5));
  EXPECT_EQ(time.safe(kStart), milliseconds(2500));
}

// gunicorn with keep-alive 1 looks every second: connections end after 1 to 2 s.
TEST(KeepAliveTime, HalfOfTheShortestThatWasSeenIsSafe) {
  KeepAliveTime time;
  time.note_end(milliseconds(1980), kStart);
  EXPECT_EQ(time.safe(kStart), milliseconds(990));
  time.note_end(milliseconds(1300), kStart + seconds(2));
  EXPECT_EQ(time.safe(kStart + seconds(2)), milliseconds(650));
  time.note_end(milliseconds(1700), kStart + seconds(4));
  EXPECT_EQ(time.safe(kStart + seconds(4)), milliseconds(650));
}

TEST(KeepAliveTime, AnUpstreamThatBreaksItsPromiseIsNotTrusted) {
  KeepAliveTime time;
  time.note_promise(seconds(60));
  time.note_end(seconds(2), kStart);
  EXPECT_EQ(time.safe(kStart), seconds(1));
  time.note_promise(seconds(1));
  EXPECT_EQ(time.safe(kStart), milliseconds(500));
}

// An app was started anew and closed a connection that was hardly idle.
TEST(KeepAliveTime, AnEarlyEndIsForgotten) {
  KeepAliveTime time;
  time.note_end(milliseconds(3), kStart);
  time.note_end(seconds(4), kStart + minutes(4));
  EXPECT_EQ(time.safe(kStart + minutes(4)), std::chrono::microseconds(1500));
  EXPECT_EQ(time.safe(kStart + minutes(5)), KeepAliveTime::kUnknown);
  time.note_end(seconds(4), kStart + minutes(6));
  EXPECT_EQ(time.safe(kStart + minutes(6)), seconds(2));
}

TEST(PromisedKeepAlive, IsReadFromTheTimeoutOfTheField) {
  struct Case {
    std::string line;
    std::optional<Duration> promised;
  };
  for (const auto& [line, promised] : {
           Case{"Keep-Alive: timeout=5\r\n", seconds(5)},
           Case{"Keep-Alive: timeout=5, max=100\r\n", seconds(5)},
           Case{"keep-alive: max=100 , Timeout = 72\r\n", seconds(72)},
           Case{"Keep-Alive: timeout=0\r\n", seconds(0)},
           Case{"Keep-Alive: timeout=4294967295\r\n", hours(24)},
           Case{"Keep-Alive: timeout=99999999999999999999\r\n", std::nullopt},
           Case{"Keep-Alive: timeout=-1\r\n", std::nullopt},
           Case{"Keep-Alive: timeout=\r\n", std::nullopt},
           Case{"Keep-Alive: timeout\r\n", std::nullopt},
           Case{"Keep-Alive: 300\r\n", std::nullopt},
           Case{"Keep-Alive: timeouts=5\r\n", std::nullopt},
           Case{"X-Keep-Alive: timeout=5\r\n", std::nullopt},
           Case{"", std::nullopt},
       }) {
    const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + line + "\r\n";
    http::HeadParser parser;
    http::ResponseHead head;
    ASSERT_TRUE(parser.read(text, head).is_complete()) << line;
    EXPECT_EQ(promised_keep_alive(head.fields), promised) << line;
  }
}

}  // namespace
}  // namespace bellows::proxy
