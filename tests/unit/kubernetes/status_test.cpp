#include "kubernetes/core/status.hpp"

#include <gtest/gtest.h>

#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;

TEST(Status, AnErrorNamesTheCallTheStatusAndTheServersMessage) {
  const Status status = parse_status(
      409, json_of("{'kind':'Status','status':'Failure','message':'the object has been modified',"
                   "'reason':'Conflict','code':409}"));
  const Error error = status_error("put deployments.apps shop/web", status);
  EXPECT_EQ(error.kind(), ErrorKind::kConflict);
  EXPECT_EQ(to_string(error),
            "put deployments.apps shop/web: HTTP 409 Conflict: the object has been modified");
}

TEST(Status, ABodyThatIsNoStatusGivesItsFirstLine) {
  EXPECT_EQ(parse_status(502, "\n <html>\r\nbad").message, "<html>");
  EXPECT_EQ(parse_status(500, "").message, "");
  EXPECT_EQ(to_string(status_error("list pods", parse_status(500, ""))), "list pods: HTTP 500");
  EXPECT_EQ(parse_status(500, std::string(1000, 'x')).message.size(), 200U);
}

TEST(Status, DetailsSayWhenToComeBackAndWhatWasWrong) {
  const Status status = parse_status(
      504,
      json_of("{'kind':'Status','message':'Timeout: Too large resource version: 5, current: 2',"
              "'reason':'Timeout','details':{'causes':[{'reason':'ResourceVersionTooLarge',"
              "'message':'Too large resource version'}],'retryAfterSeconds':1},'code':504}"));
  EXPECT_TRUE(status.is_version_too_large());
  EXPECT_EQ(status.retry_after, 1s);
  EXPECT_EQ(status_error("x", status).kind(), ErrorKind::kTimeout);
  EXPECT_FALSE(parse_status(504, "{}").is_version_too_large());
}

TEST(Status, AWrongTypeStaysEmpty) {
  const Status status =
      parse_status(410, json_of("{'kind':'Status','message':7,'code':'x','details':[]}"));
  EXPECT_EQ(status.code, 410);
  EXPECT_TRUE(status.causes.empty());
}

TEST(Status, EachCodeHasTheKindByWhichItIsHandled) {
  const auto kind = [](int code) { return status_error("x", Status{.code = code}).kind(); };
  EXPECT_EQ(kind(400), ErrorKind::kMalformed);
  EXPECT_EQ(kind(401), ErrorKind::kUnavailable);
  EXPECT_EQ(kind(403), ErrorKind::kUnavailable);
  EXPECT_EQ(kind(404), ErrorKind::kNotFound);
  EXPECT_EQ(kind(410), ErrorKind::kGone);
  EXPECT_EQ(kind(413), ErrorKind::kTooLarge);
  EXPECT_EQ(kind(429), ErrorKind::kOverloaded);
  EXPECT_EQ(kind(500), ErrorKind::kUnavailable);
  EXPECT_EQ(kind(422), ErrorKind::kConflict) << "a test of a patch failed";
  Status invalid{.code = 422};
  invalid.causes.push_back({.reason = "FieldValueInvalid", .message = {}, .field = "spec.port"});
  EXPECT_EQ(status_error("x", invalid).kind(), ErrorKind::kInvalidSetting);
}

}  // namespace
}  // namespace bellows::kubernetes
