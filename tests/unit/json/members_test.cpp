#include "json/members.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bellows::json {
namespace {

TEST(Members, OnlyThoseOfTheTopLevelAreFound) {
  std::array<Member, 3> members = {{{"a", {}}, {"b", {}}, {"none", {}}}};
  ASSERT_TRUE(
      find_members(R"({"x":{"a":1,"b":[{"a":"}"}]},"a" : 12.5 ,"b":"t\"x\\","y":null})", members));
  EXPECT_EQ(members[0].value, "12.5");
  EXPECT_EQ(members[1].value, R"("t\"x\\")");
  EXPECT_EQ(members[2].value, "");
}

TEST(Members, AnythingButOneWholeObjectIsRefused) {
  for (const std::string_view whole :
       {"{}", " { } ", R"({"a":[]})", R"({"a":{"b":"]"}, "c":true} )"}) {
    EXPECT_TRUE(find_members(whole, {})) << whole;
  }
  for (const std::string_view cut :
       {"", "{", "[]", "12", R"({"a)", R"({"a")", R"({"a":)", R"({"a":1)", R"({"a":1,)",
        R"({"a":1,})", R"({"a":"b)", R"({"a":"b\")", R"({"a":[1,{"b":2})", R"({"a":{"b":"c}})",
        R"({"a":1}x)", R"({"a" 1})", R"({a:1})", R"({"a":1 "b":2})", R"({"a":1}{"b":2})"}) {
    EXPECT_FALSE(find_members(cut, {})) << cut;
  }
}

TEST(Members, AValueIsShownWithoutItsQuotes) {
  EXPECT_EQ(without_quotes(R"("12")"), "12");
  EXPECT_EQ(without_quotes("12"), "12");
  EXPECT_EQ(without_quotes(""), "");
}

}  // namespace
}  // namespace bellows::json
