#include "proxy/core/local_reply.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bellows::proxy
