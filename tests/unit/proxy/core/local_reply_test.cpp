#include "proxy/core/local_reply.hpp"

#include <gtest/gtest.h>

#include "http/core/status.hpp"

namespace bellows::proxy {
namespace {

TEST(LocalReply, ForTooLargeAHeadNamesTheLimitAndItsSetting) {
  using http::HeadFault;
  const http::HeadLimits limits{.fields = 100, .line = 8192, .total = 32768};
  const HeadSettings settings{.fields = "max-headers", .bytes = "max-header-bytes"};
  struct Row {
    HeadFault fault;
    HeadSettings settings;
    std::string_view text;
  };
  const Row table[] = {
      {HeadFault::kTargetTooLong,
       {},
       "request: the start line is too long, the limit is 8Ki bytes\n"},
      {HeadFault::kLineTooLong, {}, "request: a header line is too long, the limit is 8Ki bytes\n"},
      {HeadFault::kTooManyFields,
       {},
       "request: there are too many header lines, the limit is 100\n"},
      {HeadFault::kHeadTooLarge,
       {},
       "request: the header lines are too large together, the limit is 32Ki bytes\n"},
      {HeadFault::kTargetTooLong, settings,
       "request: the start line is too long, max-header-bytes is 8Ki\n"},
      {HeadFault::kTooManyFields, settings,
       "request: there are too many header lines, max-headers is 100\n"},
      {HeadFault::kHeadTooLarge, settings,
       "request: the header lines are too large together, max-header-bytes is 32Ki\n"},
      {HeadFault::kMissingHost, settings, "request: HTTP/1.1 without a Host field\n"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(local_reply_for(row.fault, limits, row.settings).body, row.text);
  }
}

TEST(LocalReply, HasCulpritReasonAndRetryAfter) {
  const Error full(ErrorKind::kOverloaded, "revision web", "10 requests wait, which is the limit");
  std::string out;
  write_local_reply(local_reply_for(full, 7), false, true, "Date: now\r\n", out);
  EXPECT_EQ(out,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 51\r\nX-Bellows-Reason: overloaded\r\nRetry-After: 7\r\n"
            "Date: now\r\n\r\n"
            "revision web: 10 requests wait, which is the limit\n");
}

TEST(LocalReply, RetryAfterGoesWith503Only) {
  const Error refused(ErrorKind::kRefused, "app", "connect: refused", ErrorSide::kUpstream);
  EXPECT_FALSE(local_reply_for(refused, 7).retry_after_seconds.has_value());
}

TEST(LocalReply, HeadGetsTheLengthButNoBody) {
  std::string out;
  write_local_reply(local_reply_for(http::HeadFault::kMissingHost, {}, {}), true, false, "", out);
  EXPECT_NE(out.find("Content-Length: "), std::string::npos);
  EXPECT_TRUE(out.ends_with("Connection: close\r\n\r\n"));
}

/// Appends the body that a caller gets.
std::string told(const Error& error, config::ErrorDetail detail, std::string_view id = "id-1") {
  LocalReply reply = local_reply_for(error);
  withhold_detail(reply, detail, id);
  return reply.extra_lines + reply.body;
}

TEST(LocalReply, TellsCallersNothingThatAnAppWroteUnlessAskedTo) {
  const Error crashed(ErrorKind::kUnavailable, "service web",
                      "web-1: the app exited with code 3: FATAL: postgres://admin:hunter2@db");
  EXPECT_EQ(told(crashed, config::ErrorDetail::kGeneric),
            "X-Request-Id: id-1\r\nthe service is not available; request id-1\n");
  EXPECT_EQ(told(crashed, config::ErrorDetail::kFull),
            "X-Request-Id: id-1\r\nservice web: web-1: the app exited with code 3: FATAL: "
            "postgres://admin:hunter2@db\n");
  EXPECT_EQ(told(crashed, config::ErrorDetail::kGeneric, ""), "the service is not available\n");
}

TEST(LocalReply, HasNoBytesThatATerminalObeys) {
  const Error crashed(ErrorKind::kUnavailable, "service web", "\x1b[2J\r\nX: y\xc2\x9b");
  EXPECT_EQ(local_reply_for(crashed).body, "service web: \\x1b[2J\\x0d\\x0aX: y\\xc2\\x9b\n");
}

TEST(LocalReply, WithholdsWhateverIsNotAboutTheCallersOwnMessage) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kSystem); ++kind) {
    for (const ErrorSide side : {ErrorSide::kUpstream, ErrorSide::kInternal}) {
      const Error error(static_cast<ErrorKind>(kind), "10.0.0.7:5432", "secret", side);
      EXPECT_FALSE(generic_text(error).empty()) << to_string(error.kind());
    }
  }
  // The list of hosts that are served is not the caller's, though the wrong host is.
  EXPECT_FALSE(
      generic_text(Error(ErrorKind::kNotFound, "host x", "known: shop", ErrorSide::kDownstream))
          .empty());
  EXPECT_TRUE(
      generic_text(Error(ErrorKind::kMalformed, "request", "no colon", ErrorSide::kDownstream))
          .empty());
}

TEST(LocalReply, SaysThatTheClusterDoesNotRespondWhereThatIsTheCause) {
  const Error away(ErrorKind::kUnavailable, "service web", "the API server has not answered",
                   ErrorSide::kUpstream);
  EXPECT_EQ(generic_text(away), "the service has no replica, and its cluster does not respond");
  const Error broken(ErrorKind::kUnavailable, "service web", "web-1: it crashed");
  EXPECT_EQ(generic_text(broken), "the service is not available");
}

TEST(LocalReply, BlamesWhomItsStatusBlames) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kSystem); ++kind) {
    for (const ErrorSide side :
         {ErrorSide::kDownstream, ErrorSide::kUpstream, ErrorSide::kInternal}) {
      const Error error(static_cast<ErrorKind>(kind), "x", "y", side);
      const std::string_view text = generic_text(error);
      const bool blames_response = text.find("response") != std::string_view::npos ||
                                   text.find("reachable") != std::string_view::npos;
      const int status = http::status_of(error);
      if (status == 400 || status == 404) {
        EXPECT_FALSE(blames_response) << to_string(error.kind()) << ": " << text;
      }
      if (status == 502) {
        EXPECT_EQ(text.find("request"), std::string_view::npos) << to_string(error.kind());
      }
    }
  }
  EXPECT_EQ(generic_text(Error(ErrorKind::kNotFound, "service x", "is not listed")),
            "no service takes this host and path");
}

TEST(LocalReply, TakesARequestIdThatCanStandInALogAndInAPath) {
  EXPECT_TRUE(is_request_id("5f2ca81b-0c6d:9E37.a_b~c@d=e+f"));
  EXPECT_TRUE(is_request_id(std::string(128, 'a')));
  for (const std::string& bad :
       {std::string(), std::string(129, 'a'), std::string("a b"), std::string("a/../b"),
        std::string("a\x1b[0m"), std::string("ä")}) {
    EXPECT_FALSE(is_request_id(bad)) << bad;
  }
}

}  // namespace
}  // namespace bellows::proxy
