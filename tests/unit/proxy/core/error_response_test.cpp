#include "proxy/core/error_response.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellows::proxy {
namespace {

TEST(ErrorResponse, EachKindHasItsStatus) {
  using K = ErrorKind;
  using S = ErrorSide;
  struct Row {
    K kind;
    S side;
    int status;
  };
  const std::vector<Row> table = {
      {K::kMalformed, S::kDownstream, 400},    {K::kMalformed, S::kUpstream, 502},
      {K::kTooLarge, S::kDownstream, 413},     {K::kTooLarge, S::kUpstream, 502},
      {K::kUnsupported, S::kDownstream, 501},  {K::kUnsupported, S::kUpstream, 502},
      {K::kNotFound, S::kInternal, 404},       {K::kGone, S::kInternal, 410},
      {K::kConflict, S::kInternal, 409},       {K::kOverloaded, S::kInternal, 503},
      {K::kUnavailable, S::kInternal, 503},    {K::kRefused, S::kUpstream, 502},
      {K::kReset, S::kUpstream, 502},          {K::kReset, S::kDownstream, 408},
      {K::kTimeout, S::kUpstream, 504},        {K::kTimeout, S::kDownstream, 408},
      {K::kTimeout, S::kInternal, 503},        {K::kCancelled, S::kInternal, 503},
      {K::kSystem, S::kUpstream, 502},         {K::kSystem, S::kInternal, 500},
      {K::kInvalidSetting, S::kInternal, 500}, {K::kNotFound, S::kUpstream, 502},
  };
  for (const Row& row : table) {
    EXPECT_EQ(status_of(Error(row.kind, "c", "m", row.side)), row.status) << to_string(row.kind);
  }
}

TEST(ErrorResponse, EachFaultOfAHeadHasItsStatus) {
  using http::HeadFault;
  EXPECT_EQ(status_of(HeadFault::kBareLineFeed), 400);
  EXPECT_EQ(status_of(HeadFault::kLengthAndChunked), 400);
  EXPECT_EQ(status_of(HeadFault::kTargetTooLong), 414);
  EXPECT_EQ(status_of(HeadFault::kLineTooLong), 431);
  EXPECT_EQ(status_of(HeadFault::kTooManyFields), 431);
  EXPECT_EQ(status_of(HeadFault::kHeadTooLarge), 431);
  EXPECT_EQ(status_of(HeadFault::kBadExpect), 417);
  EXPECT_EQ(status_of(HeadFault::kConnectUnsupported), 501);
  EXPECT_EQ(status_of(HeadFault::kTransferEncodingUnsupported), 501);
  EXPECT_EQ(status_of(HeadFault::kVersionUnsupported), 505);
}

TEST(ErrorResponse, AHeadThatIsTooLargeIsToldTheLimitAndItsSetting) {
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
    EXPECT_EQ(answer_for(row.fault, limits, row.settings).body, row.text);
  }
}

TEST(ErrorResponse, SaysWhoWhyAndWhenToComeBack) {
  const Error full(ErrorKind::kOverloaded, "revision web", "10 requests wait, which is the limit");
  std::string out;
  write_answer(answer_for(full, 7), false, true, "Date: now\r\n", out);
  EXPECT_EQ(out,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 51\r\nX-Bellows-Reason: overloaded\r\nRetry-After: 7\r\n"
            "Date: now\r\n\r\n"
            "revision web: 10 requests wait, which is the limit\n");
}

TEST(ErrorResponse, RetryAfterGoesWith503Only) {
  const Error refused(ErrorKind::kRefused, "app", "connect: refused", ErrorSide::kUpstream);
  EXPECT_FALSE(answer_for(refused, 7).retry_after_seconds.has_value());
}

TEST(ErrorResponse, HeadGetsTheLengthButNoBody) {
  std::string out;
  write_answer(answer_for(http::HeadFault::kMissingHost, {}, {}), true, false, "", out);
  EXPECT_NE(out.find("Content-Length: "), std::string::npos);
  EXPECT_TRUE(out.ends_with("Connection: close\r\n\r\n"));
}

}  // namespace
}  // namespace bellows::proxy
