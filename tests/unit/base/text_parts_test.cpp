#include "base/text_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows {
namespace {

using testing::ElementsAre;

TEST(NextPart, EndsWithTheTextAndNotWithAnEmptyPart) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = "a\n\nb\n"; !rest.empty();) lines.push_back(next_part(rest, '\n'));
  EXPECT_THAT(lines, ElementsAre("a", "", "b"));
}

TEST(NextPart, IsTheWholeTextWithoutASeparator) {
  std::string_view rest = "a b";
  EXPECT_EQ(next_part(rest, ','), "a b");
  EXPECT_TRUE(rest.empty());
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a", ','), ElementsAre("a"));
  EXPECT_THAT(split(",a,,b,", ','), ElementsAre("", "a", "", "b", ""));
}

TEST(Trimmed, HasNoBlanksAtItsEnds) {
  EXPECT_EQ(trimmed("  a b "), "a b");
  EXPECT_EQ(trimmed("\ta\t", " \t"), "a");
  EXPECT_EQ(trimmed("   "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(LowerCase, ChangesLettersOfAsciiOnly) {
  EXPECT_EQ(lower_case("AZaz09-_@[\xC3\x84"), "azaz09-_@[\xC3\x84");
}

}  // namespace
}  // namespace bellows
