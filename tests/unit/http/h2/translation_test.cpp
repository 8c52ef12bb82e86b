// The pieces that turn frames into HTTP/1.1 text and back: what waits for its reader, fields of a
// head, the end of a body, keys of WebSockets; and what a peer may overdo.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/h2/core/abuse.hpp"
#include "http/h2/core/body_text.hpp"
#include "http/h2/core/error_code.hpp"
#include "http/h2/core/inbox.hpp"
#include "http/h2/core/message_fields.hpp"
#include "http/h2/core/preface.hpp"
#include "http/h2/core/websocket_key.hpp"

namespace bellows::http2 {
namespace {

/// All that can be read now, in pieces of `size`.
std::string read_all(Inbox& inbox, std::size_t size) {
  std::string all;
  std::string piece(size, '\0');
  while (const std::size_t moved = inbox.read(piece.data(), piece.size())) {
    all.append(piece, 0, moved);
  }
  return all;
}

HeadFacts chunked() {
  HeadFacts facts;
  facts.is_chunked = true;
  return facts;
}

HeadFacts of_length(std::uint64_t length) {
  HeadFacts facts;
  facts.content_length = length;
  return facts;
}

TEST(Inbox, DataWithoutALengthBecomeChunksHoweverTheyAreRead) {
  for (const std::size_t size : {1U, 7U, 63U, 64U, 200U, 4096U}) {
    Inbox inbox;
    inbox.add_head("HEAD\r\n\r\n", chunked(), true);
    const std::string body(150, 'b');
    EXPECT_EQ(inbox.add_data(body), std::nullopt);
    EXPECT_EQ(inbox.end("t: 1\r\n"), std::nullopt);
    std::string text = read_all(inbox, size);
    ASSERT_TRUE(text.starts_with("HEAD\r\n\r\n"));
    text.erase(0, 8);
    http::ChunkScanner scanner;
    std::string_view rest = text;
    std::string data;
    while (!rest.empty() && !scanner.is_complete() && !scanner.is_broken()) {
      data += scanner.next_data(rest);
    }
    EXPECT_EQ(data, body) << size;
    EXPECT_TRUE(scanner.is_complete() && rest.empty()) << size;
    EXPECT_EQ(scanner.trailers(), "t: 1\r\n") << size;
    EXPECT_TRUE(inbox.is_read());
    EXPECT_EQ(inbox.take_read_data(), body.size());
    EXPECT_EQ(inbox.take_read_data(), 0U);
  }
}

TEST(Inbox, TellsWhatIsStillToBeReadOnceTheMessageIsWhole) {
  for (const std::size_t bytes : {0, 1, 50, 64, 5000}) {
    for (const HeadFacts& facts : {chunked(), of_length(bytes)}) {
      Inbox inbox;
      inbox.add_head("HEAD\r\n", facts, true);
      inbox.add_data(std::string(bytes, 'x'));
      EXPECT_EQ(inbox.rest(), 0U) << "more may come";
      inbox.end(facts.is_chunked ? "a: b\r\n" : "");
      const std::size_t rest = inbox.rest();
      // One read into that much room takes all of it.
      std::string piece(rest, '\0');
      const std::size_t moved = inbox.read(piece.data(), piece.size());
      EXPECT_LE(moved, rest);
      EXPECT_GT(moved, bytes);
      EXPECT_TRUE(inbox.is_read()) << bytes;
    }
  }
}

TEST(Inbox, ALengthIsHeld) {
  Inbox more;
  more.add_head("H", of_length(3), true);
  EXPECT_EQ(more.add_data("ab"), std::nullopt);
  EXPECT_EQ(more.add_data("cd"), MessageFault::kLengthDiffers);
  Inbox less;
  less.add_head("H", of_length(3), true);
  EXPECT_EQ(less.add_data("ab"), std::nullopt);
  EXPECT_EQ(less.end({}), MessageFault::kLengthDiffers);
  Inbox just;
  just.add_head("H", of_length(3), true);
  EXPECT_EQ(just.add_data("abc"), std::nullopt);
  EXPECT_EQ(just.end("t: dropped\r\n"), std::nullopt);
  EXPECT_EQ(read_all(just, 100), "Habc");
}

TEST(Inbox, AMessageWithoutABodyTakesNoData) {
  Inbox inbox;
  inbox.add_head("H", of_length(3), false);
  EXPECT_EQ(inbox.add_data("a"), MessageFault::kLengthDiffers);
  EXPECT_EQ(inbox.end({}), std::nullopt);
}

TEST(Inbox, DataOfATunnelWaitUntilItIsOpen) {
  Inbox inbox;
  HeadFacts facts;
  facts.is_tunnel = true;
  inbox.add_head("H", facts, true);
  EXPECT_EQ(inbox.add_data("GET /smuggled HTTP/1.1\r\n\r\n"), std::nullopt);
  EXPECT_EQ(read_all(inbox, 100), "H");
  EXPECT_FALSE(inbox.has_text());
  inbox.open_tunnel();
  EXPECT_EQ(read_all(inbox, 100), "GET /smuggled HTTP/1.1\r\n\r\n");
}

std::string joined(const MessageFields& fields) {
  std::string all;
  for (const Field& field : fields.all()) {
    all.append(field.name).append("=").append(field.value).append("|");
  }
  return all;
}

std::string request_fields(std::string_view text, bool is_tunnel = false) {
  http::RequestHead head;
  http::HeadParser parser;
  EXPECT_TRUE(parser.read(text, head).is_complete()) << text;
  MessageFields fields;
  fields.set_request(head, "http", is_tunnel);
  return joined(fields);
}

std::string response_fields(std::string_view text, bool is_tunnel = false) {
  http::ResponseHead head;
  http::HeadParser parser;
  EXPECT_TRUE(parser.read(text, head).is_complete()) << text;
  MessageFields fields;
  fields.set_response(head, is_tunnel);
  return joined(fields);
}

TEST(MessageFields, ARequestBecomesPseudoHeadersAndFields) {
  EXPECT_EQ(request_fields("GET /a?b HTTP/1.1\r\nHost: h:1\r\nX-Y: z\r\n\r\n"),
            ":method=GET|:scheme=http|:authority=h:1|:path=/a?b|X-Y=z|");
  EXPECT_EQ(request_fields("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
            ":method=OPTIONS|:scheme=http|:authority=h|:path=*|");
  EXPECT_EQ(request_fields("GET http://h/a?b HTTP/1.1\r\nHost: h\r\n\r\n"),
            ":method=GET|:scheme=http|:authority=h|:path=/a?b|");
  EXPECT_EQ(request_fields("GET http://h?b HTTP/1.1\r\nHost: h\r\n\r\n"),
            ":method=GET|:scheme=http|:authority=h|:path=/?b|");
}

TEST(MessageFields, FieldsOfTheConnectionAreLeftOut) {
  EXPECT_EQ(
      request_fields("POST / HTTP/1.1\r\nHost: h\r\nConnection: TE, x-a\r\nTE: trailers, gzip\r\n"
                     "Keep-Alive: 1\r\nProxy-Connection: x\r\nTransfer-Encoding: chunked\r\n"
                     "X-A: gone\r\nX-B: here\r\n\r\n"),
      ":method=POST|:scheme=http|:authority=h|:path=/|X-B=here|te=trailers|");
  EXPECT_EQ(response_fields("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
                            "Server: s\r\n\r\n"),
            ":status=200|Server=s|");
  EXPECT_EQ(
      response_fields("HTTP/1.1 426 Upgrade Required\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
      ":status=426|");
}

TEST(MessageFields, AHandshakeOfAWebSocketIsAnExtendedConnect) {
  EXPECT_EQ(
      request_fields("GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Key: k\r\nSec-WebSocket-Version: 13\r\n\r\n",
                     true),
      ":method=CONNECT|:protocol=websocket|:scheme=http|:authority=h|:path=/w|"
      "Sec-WebSocket-Version=13|");
  EXPECT_EQ(response_fields("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Accept: a\r\n"
                            "Sec-WebSocket-Protocol: p\r\n\r\n",
                            true),
            ":status=200|Sec-WebSocket-Protocol=p|");
}

TEST(MessageFields, TrailersAreFields) {
  MessageFields fields;
  fields.set_trailers("Grpc-Status: 0\r\nEmpty:\r\n");
  EXPECT_EQ(joined(fields), "Grpc-Status=0|Empty=|");
}

TEST(BodyText, EndsAsItsFramingSays) {
  BodyText length;
  length.begin({http::BodyEnd::kLength, 3});
  std::string_view text = "abcd";
  EXPECT_EQ(length.next_data(text), "abc");
  EXPECT_TRUE(length.is_complete());
  EXPECT_EQ(text, "d");
  BodyText chunks;
  chunks.begin({http::BodyEnd::kChunked});
  text = "2\r\nab\r\n0\r\nT: v\r\nHost: no\r\n\r\n";
  EXPECT_EQ(chunks.next_data(text), "ab");
  EXPECT_EQ(chunks.next_data(text), "");
  EXPECT_TRUE(chunks.is_complete());
  EXPECT_EQ(chunks.trailers(), "T: v\r\n");
  BodyText close;
  close.begin({http::BodyEnd::kClose});
  text = "abc";
  EXPECT_EQ(close.next_data(text), "abc");
  EXPECT_FALSE(close.is_complete());
  BodyText none;
  none.begin({});
  EXPECT_TRUE(none.is_complete());
}

TEST(WebSocketKey, TheExampleOfTheRfc) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(websocket_accept(std::string(60, 'x')).size(), 28U) << "two blocks";
  SeededRandom random(1);
  const std::string key = make_websocket_key(random);
  EXPECT_EQ(key.size(), 24U);
  EXPECT_NE(make_websocket_key(random), key);
}

TEST(Preface, IsToldByItsFirstBytes) {
  EXPECT_EQ(match_preface(""), PrefaceMatch::kMaybe);
  EXPECT_EQ(match_preface("P"), PrefaceMatch::kMaybe);
  EXPECT_EQ(match_preface("POST / HTTP/1.1"), PrefaceMatch::kNo);
  EXPECT_EQ(match_preface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r"), PrefaceMatch::kMaybe);
  EXPECT_EQ(match_preface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), PrefaceMatch::kYes);
  EXPECT_EQ(match_preface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nmore"), PrefaceMatch::kYes);
  EXPECT_EQ(match_preface("PRI * HTTP/1.1\r\n\r\nSM\r\n\r\n"), PrefaceMatch::kNo);
}

TEST(ErrorCode, HasTheNameOfTheRfc) {
  EXPECT_EQ(error_code_text(0), "NO_ERROR");
  EXPECT_EQ(error_code_text(0xb), "ENHANCE_YOUR_CALM");
  EXPECT_EQ(error_code_text(0xd), "HTTP_1_1_REQUIRED");
  EXPECT_EQ(error_code_text(0x1f), "error 0x1f");
}

TEST(AbuseMeter, ABurstIsAllowedAndThenItsRate) {
  Limits limits;
  limits.pings = {.burst = 3, .per_second = 2};
  AbuseMeter meter(limits);
  TimePoint now{std::chrono::hours(1)};
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(meter.note(Abuse::kPings, now));
  EXPECT_TRUE(meter.note(Abuse::kPings, now));
  now += std::chrono::milliseconds(500);
  EXPECT_FALSE(meter.note(Abuse::kPings, now));
  EXPECT_TRUE(meter.note(Abuse::kPings, now));
  EXPECT_FALSE(meter.note(Abuse::kSettings, now)) << "each kind by itself";
  EXPECT_TRUE(meter.note(Abuse::kContinuations, now)) << "without a rate";
}

TEST(AbuseCounters, TellTheFirstAndThenOnceAMinute) {
  AbuseCounters counters;
  TimePoint now{std::chrono::hours(1)};
  EXPECT_EQ(counters.note(Abuse::kMalformed, now), 1U);
  EXPECT_EQ(counters.note(Abuse::kMalformed, now), std::nullopt);
  EXPECT_EQ(counters.note(Abuse::kPings, now), 1U);
  now += AbuseCounters::kLogInterval;
  EXPECT_EQ(counters.note(Abuse::kMalformed, now), 2U);
  EXPECT_EQ(counters.count(Abuse::kMalformed), 3U);
}

TEST(Abuse, EachHasItsName) {
  EXPECT_EQ(abuse_name(Abuse::kPeerResets), "peer_resets");
  EXPECT_EQ(abuse_name(Abuse::kCausedResets), "caused_resets");
  EXPECT_EQ(abuse_name(Abuse::kSettings), "settings");
  EXPECT_EQ(abuse_name(Abuse::kPings), "pings");
  EXPECT_EQ(abuse_name(Abuse::kPriorities), "priorities");
  EXPECT_EQ(abuse_name(Abuse::kWindowUpdates), "window_updates");
  EXPECT_EQ(abuse_name(Abuse::kEmptyData), "empty_data");
  EXPECT_EQ(abuse_name(Abuse::kUnknownFrames), "unknown_frames");
  EXPECT_EQ(abuse_name(Abuse::kContinuations), "continuations");
  EXPECT_EQ(abuse_name(Abuse::kHeaderBlock), "header_block");
  EXPECT_EQ(abuse_name(Abuse::kUnreadReplies), "unread_replies");
  EXPECT_EQ(abuse_name(Abuse::kLateHead), "late_head");
  EXPECT_EQ(abuse_name(Abuse::kStalled), "stalled");
  EXPECT_EQ(abuse_name(Abuse::kClosedWindow), "closed_window");
  EXPECT_EQ(abuse_name(Abuse::kProtocolError), "protocol_error");
  EXPECT_EQ(abuse_name(Abuse::kLargeHead), "large_head");
  EXPECT_EQ(abuse_name(Abuse::kMalformed), "malformed");
}

}  // namespace
}  // namespace bellows::http2
