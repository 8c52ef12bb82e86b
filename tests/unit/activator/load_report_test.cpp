#include "activator/core/load_report.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::activator {
namespace {

LoadReport said(const std::string& lines, const std::string& status = "200 OK") {
  const std::string text = "HTTP/1.1 " + status + "\r\n" + lines + "\r\n";
  http::HeadParser parser;
  http::ResponseHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete());
  return read_load_report(head);
}

TEST(LoadReport, HasTheLoadAndTheTimeInTheQueue) {
  const LoadReport report = said("X-Bellows-In-Flight: 12\r\nx-bellows-queue-ms: 340\r\n");
  EXPECT_EQ(report.in_flight, 12);
  EXPECT_EQ(report.queue_ms, 340);
}

TEST(LoadReport, OfAResponseWithoutHopHeadersIsEmpty) {
  EXPECT_EQ(said("Content-Length: 0\r\n").in_flight, std::nullopt);
  EXPECT_EQ(said("X-Bellows-Reason: reset\r\n").queue_ms, 0);
}

TEST(LoadReport, IgnoresMalformedNumbers) {
  for (const char* text : {"", "-1", "many", "1x", "99999999999999999999", "1.5"}) {
    EXPECT_EQ(said(std::string("X-Bellows-In-Flight: ") + text + "\r\n").in_flight, std::nullopt)
        << text;
  }
}

TEST(LoadReport, HasTheReasonWhyTheAppFailed) {
  EXPECT_EQ(said("X-Bellows-Reason: reset\r\n", "502 Bad Gateway").app_failure,
            FailureReason::kReset);
  EXPECT_EQ(said("X-Bellows-Reason: malformed\r\n", "502 Bad Gateway").app_failure,
            FailureReason::kMalformed);
  EXPECT_EQ(said("X-Bellows-Reason: refused\r\n", "502 Bad Gateway").app_failure,
            FailureReason::kRefused);
  EXPECT_EQ(said("X-Bellows-Reason: timeout\r\n", "504 Gateway Timeout").app_failure,
            FailureReason::kTimeout);
}

TEST(LoadReport, DoesNotBlameTheAppForItsCallersOrTheQueue) {
  EXPECT_EQ(said("X-Bellows-Reason: timeout\r\n", "408 Request Timeout").app_failure, std::nullopt);
  EXPECT_EQ(said("X-Bellows-Reason: malformed\r\n", "400 Bad Request").app_failure, std::nullopt);
  EXPECT_EQ(said("X-Bellows-Reason: timeout\r\n", "503 Service Unavailable").app_failure,
            std::nullopt);
  EXPECT_EQ(said("X-Bellows-Reason: too-large\r\n", "502 Bad Gateway").app_failure, std::nullopt);
  EXPECT_EQ(said("X-Bellows-In-Flight: 1\r\n", "502 Bad Gateway").app_failure, std::nullopt)
      << "the app's own 502";
}

TEST(LoadReport, DoesNotBlameTheAppForATimeoutInTheQueue) {
  const std::string late = "X-Bellows-Reason: timeout\r\n";
  const LoadReport in_line = said(late + "X-Bellows-Queue: timeout\r\n", "504 Gateway Timeout");
  EXPECT_EQ(in_line.app_failure, std::nullopt);
  EXPECT_FALSE(in_line.is_of_app);
  EXPECT_EQ(said(late + "X-Bellows-Queue: other\r\n", "504 Gateway Timeout").app_failure,
            FailureReason::kTimeout);
}

TEST(LoadReport, DistinguishesResponsesOfTheAppFromLocalReplies) {
  EXPECT_TRUE(said("Content-Length: 0\r\n").is_of_app);
  EXPECT_TRUE(said("X-Bellows-In-Flight: 1\r\n", "502 Bad Gateway").is_of_app);
  EXPECT_FALSE(said("X-Bellows-Reason: reset\r\n", "502 Bad Gateway").is_of_app);
  EXPECT_FALSE(said("X-Bellows-Reason: too-large\r\n", "502 Bad Gateway").is_of_app);
  EXPECT_FALSE(said("X-Bellows-Reason: overloaded\r\n", "503 Service Unavailable").is_of_app);
  EXPECT_FALSE(said("X-Bellows-Reason: timeout\r\n", "408 Request Timeout").is_of_app);
  EXPECT_FALSE(said("X-Bellows-Reason: malformed\r\n", "400 Bad Request").is_of_app);
}

}  // namespace
}  // namespace bellows::activator
