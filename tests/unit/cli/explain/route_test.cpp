#include "cli/explain/route.hpp"

#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using namespace std::chrono_literals;

constexpr LocalTime kNoonInVienna{.now = WallTime(11h), .utc_offset = 1h};

TEST(RouteText, IsTheConditionWithItsTimeAndReason) {
  const auto text = route_text(
      R"({"kind":"Revision","metadata":{"name":"web"},"status":{"conditions":[
        {"type":"Ready","status":"True","reason":"AtZero","message":"no load"},
        {"type":"Routed","status":"True","reason":"ThroughActivators","lastTransitionTime":"1970-01-01T10:30:05Z",
         "message":"activators a-1 take requests: no replica is wanted"}]}})",
      kNoonInVienna);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(
      *text,
      "Its path is ThroughActivators since 11:30:05: activators a-1 take requests: no replica "
      "is wanted.");
}

TEST(RouteText, IsEmptyWherePathsAreLeftAlone) {
  EXPECT_EQ(route_text(R"({"status":{"conditions":[]}})", kNoonInVienna).value(), "");
  EXPECT_EQ(route_text(R"({"metadata":{"name":"web"}})", kNoonInVienna).value(), "");
}

TEST(RouteText, OfATextThatIsNoRevisionIsAnError) {
  EXPECT_FALSE(route_text("<html>", kNoonInVienna));
}

}  // namespace
}  // namespace bellows::cli
