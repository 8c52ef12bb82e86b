// What a peer may overdo: each kind up to its limit and beyond it, and peers that keep the
// connection waiting.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

class Floods : public testing::Test {
 protected:
  void begin() {
    world_.start_raw_server();
    world_.greet();
  }
  /// Repeats it until the connection ends, at most `most` times. Returns how often.
  int repeat(int most, const std::function<std::string(int)>& bytes) {
    for (int i = 0; i < most; ++i) {
      world_.say(bytes(i));
      if (world_.has(test::kGoaway, 0)) return i + 1;
    }
    return most;
  }
  void expect_calm(Abuse reason) {
    EXPECT_EQ(error_code_text(world_.first(test::kGoaway, 0).code(4)), "ENHANCE_YOUR_CALM");
    EXPECT_EQ(world_.counters.count(reason), 1U);
    world_.streams.clear();
    world_.pass(std::chrono::seconds(2));
    EXPECT_TRUE(world_.has_server_ended);
  }
  /// Of what comes after the end no more is taken than the connection itself has room for.
  void expect_no_more_is_read() {
    const std::string more(60'000, 'x');
    std::size_t taken = 0;
    for (int i = 0; i < 10; ++i) {
      taken += world_.raw->try_write(more).bytes;
      world_.settle();
    }
    EXPECT_LE(taken, world_.capacity);
  }
  H2World world_;
};

TEST_F(Floods, RapidResets) {
  begin();
  const int taken = repeat(3000, [](int i) {
    return headers(id(i), kGetFields) + frame(test::kRstStream, 0, id(i), number(8, 4));
  });
  EXPECT_EQ(taken, 1001) << "CVE-2023-44487";
  EXPECT_TRUE(world_.streams.empty()) << "none of them became a request";
  expect_calm(Abuse::kPeerResets);
}

TEST_F(Floods, ResetsThatThePeerCauses) {
  begin();
  const int taken = repeat(3000, [](int i) {
    return headers(id(i), kPostFields, false) +
           frame(test::kWindowUpdate, 0, id(i), number(0x7fffffffU, 4));
  });
  EXPECT_EQ(taken, 101) << "CVE-2025-8671";
  expect_calm(Abuse::kCausedResets);
}

/// The library resets each when it has read the second frame: what is reset never is forwarded.
TEST_F(Floods, StreamsThatTheirSecondFrameEndsAreNoRequests) {
  begin();
  const std::string all = times(50, [](int i) {
    return headers(id(i), kPostFields, false) +
           frame(test::kWindowUpdate, 0, id(i), number(0x7fffffffU, 4));
  });
  world_.say(all + headers(id(50), kGetFields));
  EXPECT_EQ(world_.given, 1) << "the whole one behind them";
}

TEST_F(Floods, MalformedRequests) {
  begin();
  const int taken = repeat(3000, [](int i) {
    return headers(id(i), {{":method", "GET"}, {":path", "/"}});
  });
  EXPECT_EQ(taken, 101);
  EXPECT_EQ(world_.counters.count(Abuse::kMalformed), 101U);
  expect_calm(Abuse::kCausedResets);
}

TEST_F(Floods, Continuations) {
  begin();
  world_.say(frame(test::kHeaders, 1, 1, block(kGetFields)));
  const int taken = repeat(3000, [](int /*i*/) {
    return frame(test::kContinuation, 0, 1, block({{"a", "b"}}));
  });
  EXPECT_EQ(taken, 17) << "CVE-2024-28182";
  expect_calm(Abuse::kContinuations);
}

TEST_F(Floods, EmptyContinuations) {
  begin();
  world_.say(frame(test::kHeaders, 1, 1, block(kGetFields)));
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return frame(test::kContinuation, 0, 1); }), 17);
  expect_calm(Abuse::kContinuations);
}

TEST_F(Floods, Settings) {
  begin();
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return frame(test::kSettings, 0, 0); }), 20);
  expect_calm(Abuse::kSettings);
}

TEST_F(Floods, Pings) {
  begin();
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return frame(test::kPing, 0, 0, number(0, 8)); }), 51);
  expect_calm(Abuse::kPings);
}

/// As grpc-go: after each message a small WINDOW_UPDATE and a PING that measures the round trip.
TEST_F(Floods, PingsAndUpdatesThatFollowMessagesAreNone) {
  begin();
  for (int i = 0; i < 5'000; ++i) {
    world_.say(headers(id(i), kPostFields, false) + frame(test::kData, 1, id(i), "message"));
    ASSERT_EQ(world_.streams.size(), 1U) << i;
    read_now(*world_.streams[0]);
    world_.streams[0]->try_write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    world_.settle();
    world_.streams.clear();
    world_.say(frame(test::kWindowUpdate, 0, 0, number(2, 4)) +
               frame(test::kPing, 0, 0, number(0, 8)));
    world_.heard_bytes.clear();
  }
  EXPECT_EQ(world_.counters.count(Abuse::kPings), 0U);
  EXPECT_EQ(world_.counters.count(Abuse::kWindowUpdates), 0U);
}

TEST_F(Floods, Priorities) {
  begin();
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return frame(test::kPriority, 0, 3, number(0, 5)); }),
            501);
  expect_calm(Abuse::kPriorities);
}

TEST_F(Floods, SmallWindowUpdates) {
  begin();
  EXPECT_EQ(repeat(9000, [](int /*i*/) { return frame(test::kWindowUpdate, 0, 0, number(1, 4)); }),
            4001);
  expect_calm(Abuse::kWindowUpdates);
}

TEST_F(Floods, EmptyData) {
  begin();
  world_.say(headers(1, kPostFields, false));
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return frame(test::kData, 0, 1); }), 201);
  expect_calm(Abuse::kEmptyData);
}

class LateFloods : public Floods {
 protected:
  /// Stream 1 has had its request and response, and is gone.
  void end_stream() {
    begin();
    world_.say(headers(1, kGetFields));
    world_.streams.at(0)->try_write("HTTP/1.1 204 No Content\r\n\r\n");
    world_.settle();
    world_.streams.clear();
    world_.settle();
  }
};

TEST_F(LateFloods, SmallWindowUpdates) {
  end_stream();
  EXPECT_LT(repeat(9000, [](int /*i*/) { return frame(test::kWindowUpdate, 0, 1, number(1, 4)); }),
            4010);
  expect_calm(Abuse::kWindowUpdates);
}

TEST_F(LateFloods, Heads) {
  end_stream();
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return headers(1, kGetFields); }), 201);
  expect_calm(Abuse::kUnknownFrames);
}

TEST_F(Floods, PaddingAlone) {
  begin();
  world_.say(headers(1, kPostFields, false));
  const std::string padding = std::string(1, '\xff') + std::string(255, '\0');
  const std::string padded = frame(test::kData, test::kPadded, 1, padding);
  EXPECT_EQ(repeat(3000, [&](int /*i*/) { return padded; }), 201);
  expect_calm(Abuse::kEmptyData);
}

TEST_F(Floods, FramesThatNobodyKnows) {
  begin();
  EXPECT_EQ(repeat(3000, [](int /*i*/) { return frame(0x77, 0, 0, "x"); }), 201);
  expect_calm(Abuse::kUnknownFrames);
}

TEST_F(Floods, AFieldListThatGrowsFromFewBytes) {
  begin();
  world_.say(frame(test::kHeaders, 5, 1, growing_head(10'000)));
  EXPECT_TRUE(world_.streams.empty());
  expect_calm(Abuse::kHeaderBlock);
}

/// A byte of the library's static table each: the fields are small, and many.
TEST_F(Floods, AFieldListOfVeryManyFields) {
  begin();
  world_.say(frame(test::kHeaders, 5, 1, block(kGetFields) + std::string(2'000, '\x90')));
  EXPECT_TRUE(world_.streams.empty());
  expect_calm(Abuse::kHeaderBlock);
}

TEST_F(Floods, AHeadOverItsLimitIsAnsweredAndOthersGoOn) {
  begin();
  world_.say(frame(test::kHeaders, 5, 1, growing_head(20)));
  EXPECT_TRUE(world_.streams.empty());
  EXPECT_TRUE(world_.has(test::kHeaders, 1)) << "431";
  EXPECT_FALSE(world_.has(test::kGoaway, 0));
  EXPECT_EQ(world_.counters.count(Abuse::kLargeHead), 1U);
  world_.say(headers(3, kGetFields));
  EXPECT_EQ(world_.streams.size(), 1U);
}

TEST_F(Floods, HeadsOverTheirLimit) {
  begin();
  const int taken =
      repeat(3000, [&](int i) { return frame(test::kHeaders, 5, id(i), growing_head(20)); });
  EXPECT_EQ(taken, 51) << "each is twice to three times over the limit, which counts as two resets";
  EXPECT_EQ(world_.counters.count(Abuse::kLargeHead), 51U);
  expect_calm(Abuse::kCausedResets);
}

TEST_F(Floods, OfAPeerThatWasThrownOutAreReadNoMore) {
  world_.capacity = 100'000;
  begin();
  repeat(3000, [](int /*i*/) { return frame(test::kPing, 0, 0, number(0, 8)); });
  expect_no_more_is_read();
}

/// The library says GOAWAY for it by itself. A peer that sent on was read for a second at the speed
/// of memory, which took half a core.
TEST_F(Floods, OfAPeerWhoseConnectionEndedForAViolationAreReadNoMore) {
  world_.capacity = 100'000;
  begin();
  world_.say(frame(test::kHeaders, 5, id(3), block(kGetFields)));
  world_.say(frame(test::kData, 0, 0, "no stream has this"));
  ASSERT_TRUE(world_.has(test::kGoaway, 0));
  ASSERT_EQ(world_.counters.count(Abuse::kProtocolError), 1U);
  expect_no_more_is_read();
}

TEST_F(Floods, AcknowledgementsThatNobodyReads) {
  world_.capacity = 2'000;
  world_.limits.pings = {.burst = 1'000'000, .per_second = 1};
  begin();
  std::string pings;
  for (int i = 0; i < 100; ++i) pings += frame(test::kPing, 0, 0, number(0, 8));
  for (int i = 0; i < 200 && world_.counters.count(Abuse::kUnreadReplies) == 0; ++i) {
    for (std::string_view rest = pings; !rest.empty();) {
      const http::IoResult sent = world_.raw->try_write(rest);
      rest.remove_prefix(sent.bytes);
      world_.settle();
      if (sent.kind != Kind::kBytes) break;
    }
  }
  EXPECT_EQ(world_.counters.count(Abuse::kUnreadReplies), 1U);
}

TEST_F(Floods, MoreStreamsThanAllowed) {
  world_.limits.max_streams = 5;
  begin();
  world_.say(frame(test::kSettings, test::kAck, 0));
  for (int i = 0; i < 5; ++i) world_.say(headers(id(i), kGetFields));
  EXPECT_EQ(world_.streams.size(), 5U);
  world_.say(headers(id(5), kGetFields));
  EXPECT_EQ(world_.streams.size(), 5U);
  EXPECT_TRUE(world_.has(test::kGoaway, 0) || world_.has(test::kRstStream, id(5)));
}

TEST_F(Floods, SessionsThatHaveNotEndedCountAsStreams) {
  world_.limits.max_streams = 5;
  begin();
  world_.say(frame(test::kSettings, test::kAck, 0));
  for (int i = 0; i < 20; ++i) {
    world_.say(headers(id(i), kGetFields));
    world_.say(frame(test::kRstStream, 0, id(i), number(8, 4)));
  }
  EXPECT_EQ(world_.streams.size(), 10U) << "twice the limit, while their sessions are there";
  EXPECT_EQ(world_.first(test::kRstStream, id(10)).code(), 7U);
}

TEST_F(Floods, APrefaceThatDoesNotEnd) {
  world_.start_raw_server();
  world_.say(kPreface.substr(0, 10));
  world_.pass(std::chrono::seconds(9));
  EXPECT_FALSE(world_.has_server_ended);
  world_.pass(std::chrono::seconds(2));
  expect_calm(Abuse::kLateHead);
}

TEST_F(Floods, AFieldBlockThatDoesNotEnd) {
  begin();
  world_.say(frame(test::kHeaders, 1, 1, block(kGetFields)));
  world_.pass(std::chrono::seconds(11));
  expect_calm(Abuse::kLateHead);
}

TEST_F(Floods, APrefaceOfSomethingElse) {
  world_.start_raw_server();
  world_.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  world_.pass(std::chrono::seconds(2));
  EXPECT_TRUE(world_.has_server_ended);
  EXPECT_EQ(world_.counters.count(Abuse::kProtocolError), 1U);
}

TEST_F(Floods, AWindowThatStaysClosedKeepsNoResponseForEver) {
  begin();
  world_.say(frame(test::kSettings, 0, 0, number(4, 2) + number(0, 4)) + headers(1, kGetFields));
  ASSERT_EQ(world_.streams.size(), 1U);
  const std::string response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  EXPECT_EQ(world_.streams[0]->try_write(response).bytes, response.size());
  world_.streams.clear();
  world_.settle();
  EXPECT_TRUE(world_.has(test::kHeaders, 1));
  EXPECT_FALSE(world_.has(test::kData, 1));
  EXPECT_FALSE(world_.has(test::kRstStream, 1));
  for (int i = 0; i < 5; ++i) world_.pass(std::chrono::seconds(10));
  EXPECT_EQ(error_code_text(world_.first(test::kRstStream, 1).code()), "CANCEL");
}

TEST_F(Floods, APeerThatTakesNoBytesIsLeft) {
  world_.capacity = 1'000;
  begin();
  world_.say(headers(1, kGetFields));
  ASSERT_EQ(world_.streams.size(), 1U);
  world_.streams[0]->try_write("HTTP/1.1 200 OK\r\n\r\n" + std::string(50'000, 'x'));
  world_.settle();
  world_.pass(std::chrono::seconds(50));
  EXPECT_FALSE(world_.streams[0]->was_reset());
  world_.pass(std::chrono::seconds(11));
  EXPECT_TRUE(world_.streams[0]->was_reset());
  EXPECT_EQ(world_.counters.count(Abuse::kStalled), 1U);
}

TEST_F(Floods, OneWindowWaitsForASlowReader) {
  begin();
  world_.say(headers(1, kPostFields, false));
  const std::string part(10'000, 'x');
  for (int i = 0; i < 6; ++i) world_.say(frame(test::kData, 0, 1, part));
  EXPECT_FALSE(world_.has(test::kGoaway, 0) || world_.has(test::kWindowUpdate, 1));
  EXPECT_EQ(read_now(*world_.streams.at(0)).find("transfer-encoding: chunked") == std::string::npos,
            false);
  world_.settle();
  EXPECT_TRUE(world_.has(test::kWindowUpdate, 1)) << "given back as it is read";
  for (int i = 0; i < 7; ++i) world_.say(frame(test::kData, 0, 1, part));
  EXPECT_TRUE(world_.has(test::kGoaway, 0) || world_.has(test::kRstStream, 1)) << "more than that";
}

/// A queue counts it (queue-bytes): nobody reads the body of a request that waits.
TEST_F(Floods, ARequestSaysHowMuchOfItsBodyMayWait) {
  begin();
  FieldPairs with_length = kPostFields;
  with_length.emplace_back("content-length", "1000");
  world_.say(headers(1, kGetFields) + headers(3, kPostFields, false) +
             headers(5, with_length, false) + headers(7, kPostFields, false));
  world_.say(frame(test::kData, 0, 5, std::string(300, 'x')) +
             frame(test::kData, 1, 7, std::string(400, 'x')));
  ASSERT_EQ(world_.streams.size(), 4U);
  EXPECT_EQ(world_.streams[0]->most_unread(), 0U) << "no body";
  EXPECT_EQ(world_.streams[1]->most_unread(), world_.limits.stream_window) << "no known end";
  EXPECT_EQ(world_.streams[2]->most_unread(), 1'000U) << "its length";
  EXPECT_EQ(world_.streams[3]->most_unread(), 400U) << "it has ended";
}

/// HEADERS have no flow control.
class InterimHeads : public Floods {
 protected:
  static constexpr int kCount = 2'000;
  static std::string hint(int i) { return std::to_string(i) + std::string(1'000, 'x'); }

  /// The app has sent SETTINGS, and a caller waits for its response.
  void begin_call() {
    world_.start_raw_client();
    world_.say(frame(test::kSettings, 0, 0));
    caller_ = world_.client->open_stream();
    caller_->try_write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    world_.settle();
  }
  ConnectionPtr caller_;
};

TEST_F(InterimHeads, ACallerThatReadsNoneHoldsItsAppBack) {
  world_.capacity = 20'000;
  begin();
  world_.say(headers(1, kGetFields));
  const auto send = [&](const std::string& text) {
    const bool is_taken = world_.streams.at(0)->try_write(text).bytes == text.size();
    world_.settle();
    return is_taken;
  };
  int sent = 0;
  const auto send_hint = [&] {
    const bool is_taken = send("HTTP/1.1 103 Early Hints\r\nLink: " + hint(sent) + "\r\n\r\n");
    if (is_taken) ++sent;
    return is_taken;
  };
  while (sent < kCount && send_hint()) {
  }
  EXPECT_LT(sent, 200) << "what the connection and the output buffer take";
  while (sent < kCount) {
    world_.heard();
    world_.settle();
    ASSERT_TRUE(send_hint()) << sent;
  }
  EXPECT_TRUE(send("HTTP/1.1 204 No Content\r\n\r\n"));
  for (int i = 0; i < kCount; ++i) {
    world_.heard_bytes += read_now(*world_.raw);
    world_.settle();
  }
  const std::vector<test::Frame> all = world_.heard();
  EXPECT_EQ(std::ranges::count_if(all,
                                  [](const test::Frame& each) {
                                    return each.type == test::kHeaders && each.stream == 1;
                                  }),
            kCount + 1);
}

TEST_F(InterimHeads, ThatNobodyReadsEndTheResponse) {
  begin_call();
  int sent = 0;
  for (; sent < kCount && !caller_->was_reset(); ++sent) {
    world_.say(headers(1, {{":status", "103"}, {"link", hint(sent)}}, false));
  }
  EXPECT_GT(sent, 200);
  EXPECT_LT(sent, 300);
  EXPECT_EQ(world_.counters.count(Abuse::kMalformed), 1U);
  EXPECT_TRUE(world_.client->may_open()) << "others on the connection go on";
}

TEST_F(InterimHeads, ThatAreReadMayBeAnyNumber) {
  begin_call();
  std::size_t bytes = 0;
  for (int i = 0; i < kCount; ++i) {
    world_.say(headers(1, {{":status", "103"}, {"link", hint(i)}}, false));
    bytes += read_now(*caller_).size();
  }
  EXPECT_FALSE(caller_->was_reset());
  EXPECT_GT(bytes, kCount * 1'000U);
}

}  // namespace
}  // namespace bellows::http2
