#include "http/core/status.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellows::http {
namespace {

TEST(Status, EachKindHasItsStatus) {
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

TEST(Status, EachFaultOfAHeadHasItsStatus) {
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

TEST(Status, ARejectedOrderIsUnprocessableUnlessItCouldNotBeRead) {
  EXPECT_EQ(status_of_order(Error(ErrorKind::kMalformed, "c", "m")), 400);
  EXPECT_EQ(status_of_order(Error(ErrorKind::kConflict, "c", "m")), 422);
  EXPECT_EQ(status_of_order(Error(ErrorKind::kNotFound, "c", "m")), 422);
}

TEST(Status, EachCodeThatIsSentHasThePhraseOfTheRfc) {
  EXPECT_EQ(reason_phrase(103), "Early Hints");
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(426), "Upgrade Required");
  EXPECT_EQ(reason_phrase(505), "HTTP Version Not Supported");
  EXPECT_EQ(reason_phrase(299), "Status");
  EXPECT_EQ(reason_phrase(599), "Status");
}

}  // namespace
}  // namespace bellows::http
