#include "http/io/message.hpp"

#include <gtest/gtest.h>
// rapidcheck's header wants gtest's before it.
#include <rapidcheck/gtest.h>

#include <string>

namespace bellows::http {
namespace {

std::string parameter(std::string query, std::string_view name) {
  Request request;
  request.query = std::move(query);
  return request.parameter(name);
}

TEST(RequestParameter, IsTheFirstValueOfThatName) {
  EXPECT_EQ(parameter("revision=web&wide=1&revision=other", "revision"), "web");
  EXPECT_EQ(parameter("revision=web&wide=1", "wide"), "1");
}

TEST(RequestParameter, IsEmptyWithoutValueOrWithoutParameter) {
  EXPECT_EQ(parameter("", "a"), "");
  EXPECT_EQ(parameter("a", "a"), "");
  EXPECT_EQ(parameter("a=", "a"), "");
  EXPECT_EQ(parameter("ab=1&&=2&ba=3", "a"), "");
}

TEST(RequestParameter, KeepsEqualsSignsInTheValue) {
  EXPECT_EQ(parameter("filter=a=b", "filter"), "a=b");
}

TEST(RequestParameter, NamesAndValuesAreDecoded) {
  EXPECT_EQ(parameter("na%6De=a+b%20c%2Fd%2b%26%3D", "name"), "a b c/d+&=");
}

TEST(RequestParameter, AnInvalidEscapeStaysAsItIs) {
  EXPECT_EQ(parameter("a=100%", "a"), "100%");
  EXPECT_EQ(parameter("a=%4", "a"), "%4");
  EXPECT_EQ(parameter("a=%zz%4g", "a"), "%zz%4g");
  EXPECT_EQ(parameter("a=%-1", "a"), "%-1");
}

RC_GTEST_PROP(RequestParameter, AnEscapedValueIsDecodedToTheOriginal, (const std::string& value)) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string query = "a=1&v=";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    query += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  RC_ASSERT(parameter(query + "&b=2", "v") == value);
}

}  // namespace
}  // namespace bellows::http
