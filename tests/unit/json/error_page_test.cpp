#include "json/error_page.hpp"

#include <gtest/gtest.h>

namespace bellows::json {
namespace {

TEST(ErrorPage, HasTheKindCulpritAndMessageOfTheError) {
  const auto error = parse_error_page(
      "{\"error\":{\"kind\":\"not-found\",\"culprit\":\"shop\",\"message\":\"there is none\"}}\n");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::kNotFound);
  EXPECT_EQ(to_string(*error), "shop: there is none");
}

TEST(ErrorPage, AKindThatIsNotKnownHereIsUnavailable) {
  const auto error = parse_error_page(R"({"error":{"kind":"newer","culprit":"a","message":"b"}})");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::kUnavailable);
}

TEST(ErrorPage, AnythingElseIsNoError) {
  for (const char* page :
       {"", "no such page", "{}", R"({"error":"x"})", R"({"error":{"kind":"x"}})",
        R"({"error":{"kind":"x","culprit":1,"message":"b"}})"}) {
    EXPECT_FALSE(parse_error_page(page).has_value()) << page;
  }
}

TEST(ErrorPage, EveryKindReadsBack) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kSystem); ++i) {
    const Error error(static_cast<ErrorKind>(i), "the \"shop\"", "broken");
    const auto read = parse_error_page(error_page(error));
    ASSERT_TRUE(read.has_value()) << i;
    EXPECT_EQ(read->kind(), error.kind());
    EXPECT_EQ(to_string(*read), to_string(error));
  }
}

TEST(ErrorPage, AnErrorWithinAnotherDocumentMustHaveAKnownKind) {
  const auto read =
      read_error(parse(R"({"kind":"newer","culprit":"a","message":"b"})", "error").value());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(to_string(read.error()), R"(error.kind: "newer": want a kind of docs/errors.md)");
}

}  // namespace
}  // namespace bellows::json
