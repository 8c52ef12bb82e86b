#include "json/writer.hpp"

#include <gtest/gtest.h>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "json/object.hpp"

namespace bellows::json {
namespace {

TEST(Writer, MembersStandInTheOrderOfTheCalls) {
  const std::string line = Writer()
                               .number("at", 3.6)
                               .integer("desired", -1)
                               .flag("valid", true)
                               .text("reason", "a \"word\"\n")
                               .null("target")
                               .open("spec")
                               .text("window", "60s")
                               .close()
                               .open_list("pods")
                               .open()
                               .text("pod", "a")
                               .close()
                               .open()
                               .close()
                               .close()
                               .end_line();
  EXPECT_EQ(line, R"({"at":3.6,"desired":-1,"valid":true,"reason":"a \"word\"\n","target":null,)"
                  R"("spec":{"window":"60s"},"pods":[{"pod":"a"},{}]})"
                  "\n");
}

TEST(Writer, ListsHoldNumbersTextsObjectsAndLists) {
  Writer writer;
  writer.open_list("values").number(0.5).text("a").open().integer("x", 1).close();
  writer.open_list().close().open_list().number(2).close().close();
  EXPECT_EQ(writer.end(), R"({"values":[0.5,"a",{"x":1},[],[2]]})");
}

TEST(Writer, RawJsonIsCopied) {
  const std::string inner = Writer().text("a", "b").end();
  EXPECT_EQ(Writer().raw("inner", inner).end(), R"({"inner":{"a":"b"}})");
}

TEST(Writer, StartsAnewAfterTheEnd) {
  Writer writer;
  EXPECT_EQ(writer.integer("a", 1).end(), R"({"a":1})");
  EXPECT_EQ(writer.integer("b", 2).end(), R"({"b":2})");
}

TEST(Writer, TheGreatestAndLeastIntegersAreWrittenInFull) {
  EXPECT_EQ(Writer().integer("u", std::numeric_limits<std::uint64_t>::max()).end(),
            R"({"u":18446744073709551615})");
  EXPECT_EQ(Writer().integer("i", std::numeric_limits<std::int64_t>::min()).end(),
            R"({"i":-9223372036854775808})");
}

TEST(Writer, CharactersThatJsonDoesNotAllowInStringsAreEscaped) {
  EXPECT_EQ(Writer().text("k\"", "\b\f\n\r\t\\ \x01\x1f\x7f /é").end(),
            R"({"k\"":"\b\f\n\r\t\\ \u0001\u001f\u007f /é"})");
}

TEST(Writer, WhatIsNoNumberIsNull) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Writer().number("x", infinite).number("y", std::nan("")).end(),
            R"({"x":null,"y":null})");
}

TEST(Writer, BytesThatAreNoUtf8AreWrittenOneByOne) {
  EXPECT_EQ(Writer().text("x", "\xff\xc3 \xc3\xa9\xe2\x82").end(), R"({"x":"\u00ff\u00c3 )"
                                                                   "\xc3\xa9"
                                                                   R"(\u00e2\u0082"})");
}

RC_GTEST_PROP(WriterProperty, EveryBytesAreValidJson, (const std::string& bytes)) {
  RC_ASSERT(parse(Writer().text("x", bytes).end()).has_value());
}

RC_GTEST_PROP(WriterProperty, EveryTextReadsBack, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  const auto line = parse(Writer().text("x", text).end());
  RC_ASSERT(line.has_value());
  RC_ASSERT(line->text("x") == text);
}

RC_GTEST_PROP(WriterProperty, EveryDoubleReadsBack, (std::uint64_t bits)) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  RC_PRE(std::isfinite(number));
  const auto line = parse_line(Writer().number("x", number).end_line(), 1);
  RC_ASSERT(line->number("x") == number);
}

}  // namespace
}  // namespace bellows::json
