#include "replay/refusal.hpp"

#include <gtest/gtest.h>

namespace bellows::replay {
namespace {

TEST(Refusal, IsTheErrorThatAPageTellsWithItsCulpritAndMessage) {
  const auto told = read_refusal(
      "{\"error\":{\"kind\":\"not-found\",\"culprit\":\"shop\",\"message\":\"there is none\"}}\n");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->kind(), ErrorKind::kNotFound);
  EXPECT_EQ(to_string(*told), "shop: there is none");
}

TEST(Refusal, OfAKindThatIsNotKnownHereIsUnavailable) {
  const auto told = read_refusal(R"({"error":{"kind":"newer","culprit":"a","message":"b"}})");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->kind(), ErrorKind::kUnavailable);
}

TEST(Refusal, IsNothingElse) {
  for (const char* page :
       {"", "no such page", "{}", R"({"error":"x"})", R"({"error":{"kind":"x"}})",
        R"({"error":{"kind":"x","culprit":1,"message":"b"}})"}) {
    EXPECT_FALSE(read_refusal(page).has_value()) << page;
  }
}

}  // namespace
}  // namespace bellows::replay
