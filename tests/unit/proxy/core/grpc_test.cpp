#include "proxy/core/grpc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace bellows::proxy {
namespace {

using namespace std::chrono_literals;

http::RequestHead head_of(std::string_view text) {
  http::RequestHead head;
  EXPECT_TRUE(http::HeadParser().read(text, head).is_complete()) << text;
  return head;
}

TEST(Grpc, IsToldByMethodAndContentType) {
  struct Row {
    std::string_view method;
    std::string_view type;
    bool is_call;
  };
  const Row table[] = {
      {"POST", "application/grpc", true},
      {"POST", "application/grpc+proto", true},
      {"POST", "Application/GRPC; charset=utf-8", true},
      {"POST", "application/grpc-web+proto", false},
      {"POST", "application/grpcx", false},
      {"POST", "application/json", false},
      {"POST", "application", false},
      {"GET", "application/grpc", false},
  };
  for (const Row& row : table) {
    const std::string text =
        std::string(row.method) +
        " /a.B/C HTTP/1.1\r\nHost: a\r\nContent-Type:  " + std::string(row.type) +
        "\r\nX-A: b\r\n\r\n";
    EXPECT_EQ(is_grpc_call(head_of(text)), row.is_call) << text;
    EXPECT_EQ(is_grpc_call(std::string_view(text)), row.is_call) << text;
  }
  EXPECT_FALSE(is_grpc_call(head_of("POST / HTTP/1.1\r\nHost: a\r\n\r\n")));
}

TEST(Grpc, OfAHeadThatCannotBeReadIsToldByItsLines) {
  EXPECT_TRUE(is_grpc_call("POST /a HTTP/1.1\r\nX-A : b\r\nCONTENT-TYPE:application/grpc\r\n"));
  EXPECT_FALSE(is_grpc_call("POST /a HTTP/1.1\r\n\r\nContent-Type: application/grpc\r\n"))
      << "the body is no head";
  EXPECT_FALSE(is_grpc_call("POST /a HTTP/1.1\r\nContent-Type:\r\n"));
  EXPECT_FALSE(is_grpc_call(""));
}

TEST(Grpc, TimeoutHasAtMostEightDigitsAndAUnit) {
  EXPECT_EQ(read_grpc_timeout("1H"), Duration(1h));
  EXPECT_EQ(read_grpc_timeout("2M"), Duration(2min));
  EXPECT_EQ(read_grpc_timeout("30S"), Duration(30s));
  EXPECT_EQ(read_grpc_timeout("99999999m"), Duration(99999999ms));
  EXPECT_EQ(read_grpc_timeout("5u"), Duration(5us));
  EXPECT_EQ(read_grpc_timeout("7n"), Duration(7ns));
  EXPECT_EQ(read_grpc_timeout("0m"), Duration(0ms));
  for (const std::string_view bad :
       {"", "S", "1", "1s", "-1S", "+1S", " 1S", "1 S", "1.5S", "123456789m", "99999999H", "1SS"}) {
    EXPECT_EQ(read_grpc_timeout(bad), std::nullopt) << bad;
  }
}

TEST(Grpc, TimeoutIsThatOfCallsOnly) {
  EXPECT_EQ(grpc_timeout_of(head_of("POST / HTTP/1.1\r\nHost: a\r\ngrpc-timeout: 3S\r\n"
                                    "Content-Type: application/grpc\r\n\r\n")),
            Duration(3s));
  EXPECT_EQ(grpc_timeout_of(head_of("POST / HTTP/1.1\r\nHost: a\r\ngrpc-timeout: 3S\r\n\r\n")),
            std::nullopt);
  EXPECT_EQ(grpc_timeout_of(
                head_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n\r\n")),
            std::nullopt);
}

TEST(Grpc, EachReplyOfBellowsHasACode) {
  struct Row {
    Error error;
    GrpcStatus status;
  };
  const auto up = ErrorSide::kUpstream;
  const auto down = ErrorSide::kDownstream;
  const Row table[] = {
      {Error(ErrorKind::kOverloaded, "service", "full"), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kUnavailable, "service", "no replica"), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kTimeout, "service", "queue-age"), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kTimeout, "service", "late", up), GrpcStatus::kDeadlineExceeded},
      {Error(ErrorKind::kTimeout, "request", "late", down), GrpcStatus::kDeadlineExceeded},
      {Error(ErrorKind::kNotFound, "host", "unknown", down), GrpcStatus::kUnimplemented},
      {Error(ErrorKind::kGone, "service", "retired"), GrpcStatus::kUnimplemented},
      {Error(ErrorKind::kTooLarge, "request", "head", down), GrpcStatus::kResourceExhausted},
      {Error(ErrorKind::kTooLarge, "app", "head", up), GrpcStatus::kResourceExhausted},
      {Error(ErrorKind::kMalformed, "request", "bad", down), GrpcStatus::kInternal},
      {Error(ErrorKind::kMalformed, "app", "bad", up), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kReset, "app", "closed", up), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kRefused, "app", "refused", up), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kCancelled, "server", "stopped"), GrpcStatus::kUnavailable},
      {Error(ErrorKind::kSystem, "handler", "defect"), GrpcStatus::kInternal},
      {Error(ErrorKind::kUnsupported, "request", "CONNECT", down), GrpcStatus::kUnimplemented},
  };
  for (const Row& row : table) {
    const LocalReply reply = local_reply_for(row.error);
    EXPECT_EQ(grpc_status_of(reply.status, reply.reason), row.status) << to_string(row.error);
  }
}

TEST(Grpc, MessageIsPercentEncoded) {
  std::string out;
  append_grpc_message("50% \xc3\xa9\r\n~", out);
  EXPECT_EQ(out, "50%25 %C3%A9%0D%0A~");
}

TEST(Grpc, ReplyIsOneHeadWithThePushBack) {
  const Error full(ErrorKind::kOverloaded, "service web", "10 requests wait");
  LocalReply reply = local_reply_for(full, 7);
  reply.extra_lines = "X-Request-Id: a\r\n";
  std::string out;
  write_grpc_reply(reply, true, "Date: now\r\n", out);
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\ngrpc-status: 14\r\n"
            "grpc-message: service web: 10 requests wait\r\ngrpc-retry-pushback-ms: 7000\r\n"
            "Content-Length: 0\r\nX-Bellows-Reason: overloaded\r\nX-Request-Id: a\r\n"
            "Date: now\r\n\r\n");
}

TEST(Grpc, StatusOfAnAppIsReadFromItsHead) {
  http::ResponseHead head;
  const std::string_view text = "HTTP/1.1 200 OK\r\ngrpc-status: 5\r\n\r\n";
  ASSERT_TRUE(http::HeadParser().read(text, head).is_complete());
  EXPECT_EQ(grpc_status_in(head.fields), 5);
}

TEST(GrpcStatus, OfAResetIsThatOfItsCode) {
  EXPECT_EQ(grpc_status_of_reset(0), std::nullopt);
  EXPECT_EQ(grpc_status_of_reset(2), 13);
  EXPECT_EQ(grpc_status_of_reset(7), 14);
  EXPECT_EQ(grpc_status_of_reset(8), 1);
  EXPECT_EQ(grpc_status_of_reset(11), 8);
  EXPECT_EQ(grpc_status_of_reset(12), 7);
  EXPECT_EQ(grpc_status_of_reset(99), 13);
}

TEST(GrpcStatus, OfAnAppIsReadFromItsTrailers) {
  EXPECT_EQ(grpc_status_in("grpc-message: not there\r\nGrpc-Status: 5 \r\nx: y\r\n"), 5);
  EXPECT_EQ(grpc_status_in("grpc-status: 0\r\n"), 0);
  EXPECT_EQ(grpc_status_in("grpc-status: five\r\n"), std::nullopt);
  EXPECT_EQ(grpc_status_in("grpc-status-details-bin: 5\r\n"), std::nullopt);
  EXPECT_EQ(grpc_status_in(""), std::nullopt);
}

TEST(GrpcReply, IsToldByStatusAndContentType) {
  const auto is_reply = [](const std::string& lines) {
    http::ResponseHead head;
    const std::string text = "HTTP/1.1 " + lines + "\r\n\r\n";
    EXPECT_TRUE(http::HeadParser().read(text, head).is_complete()) << text;
    return is_grpc_reply(head);
  };
  EXPECT_TRUE(is_reply("200 OK\r\nContent-Type: application/grpc+proto"));
  EXPECT_FALSE(is_reply("200 OK\r\nContent-Type: text/html"));
  EXPECT_FALSE(is_reply("200 OK"));
  EXPECT_FALSE(is_reply("503 No\r\nContent-Type: application/grpc"));
}

std::string message(std::size_t size) {
  const std::array<char, 5> prefix{0, 0, 0, static_cast<char>(size >> 8U),
                                   static_cast<char>(size & 0xffU)};
  return std::string(prefix.data(), prefix.size()) + std::string(size, 'x');
}

TEST(GrpcMessages, EndWhereTheirLengthSays) {
  std::string body;
  std::vector<std::size_t> boundaries = {0};
  for (const std::size_t size : {0, 1, 5, 300, 0}) {
    body += message(size);
    boundaries.push_back(body.size());
  }
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    GrpcMessages messages;
    messages.feed(std::string_view(body).substr(0, cut));
    EXPECT_EQ(messages.is_at_boundary(), std::ranges::count(boundaries, cut) > 0) << cut;
    messages.feed(std::string_view(body).substr(cut));
    EXPECT_TRUE(messages.is_at_boundary()) << cut;
  }
  GrpcMessages singly;
  for (std::size_t i = 0; i < body.size(); ++i) {
    EXPECT_EQ(singly.is_at_boundary(), std::ranges::count(boundaries, i) > 0) << i;
    singly.feed(std::string_view(body).substr(i, 1));
  }
}

TEST(GrpcMessages, TakeALengthOfFourBytes) {
  GrpcMessages messages;
  messages.feed(std::string_view("\x01\xff\xff\xff\xff", 5));
  const std::string block(std::size_t{1} << 24U, 'x');
  for (int i = 0; i < 255; ++i) messages.feed(block);
  messages.feed(std::string_view(block).substr(0, block.size() - 2));
  EXPECT_FALSE(messages.is_at_boundary());
  messages.feed("x");
  EXPECT_TRUE(messages.is_at_boundary());
}

TEST(GrpcEnd, NamesWhatHappenedAndReplicasOnlyInFullDetail) {
  using config::ErrorDetail;
  struct Case {
    ErrorKind kind;
    const char* message;
    const char* generic;
    std::string lines;
  };
  const std::vector<Case> cases = {
      {ErrorKind::kTimeout, "the response took longer than the request's time limit",
       "the response took longer than the request's time limit", "timeout"},
      {ErrorKind::kReset, "closed in the middle of its response",
       "the service ended in the middle of its response", "reset"},
      {ErrorKind::kCancelled, "stopped before the request was complete",
       "the server stopped in the middle of the response", "cancelled"},
  };
  for (const Case& row : cases) {
    const Error error(row.kind, "replica web-1", row.message, ErrorSide::kUpstream);
    const std::string status = row.kind == ErrorKind::kTimeout ? "4" : "14";
    const auto expected = [&](const std::string& text) {
      return "grpc-status: " + status + "\r\ngrpc-message: " + text +
             "\r\nX-Bellows-Reason: " + row.lines + "\r\n";
    };
    std::string full;
    EXPECT_EQ(append_grpc_end(error, ErrorDetail::kFull, full), std::stoi(status));
    EXPECT_EQ(full, expected(std::string("replica web-1: ") + row.message));
    std::string generic;
    append_grpc_end(error, ErrorDetail::kGeneric, generic);
    EXPECT_EQ(generic, expected(row.generic));
    EXPECT_EQ(grpc_end_in(generic), row.kind);
  }
  EXPECT_EQ(grpc_end_in("grpc-status: 14\r\n"), std::nullopt);
  EXPECT_EQ(grpc_end_in("x-bellows-reason: nonsense\r\n"), std::nullopt);
}

}  // namespace
}  // namespace bellows::proxy
