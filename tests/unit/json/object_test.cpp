#include "json/object.hpp"

#include <gtest/gtest.h>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include "base/number_text.hpp"

namespace bellows::json {
namespace {

using namespace std::chrono_literals;

std::string problem_of(std::string_view text) {
  const auto line = parse_line(text, 3);
  return line ? "understood" : to_string(line.error());
}

Object line_of(std::string_view text) {
  return parse_line(text, 7).value();
}

template <class T>
std::string problem_of(const Result<T>& result) {
  return result ? "understood" : to_string(result.error());
}

TEST(Object, ValuesOfEveryKindAreReadByTheirKeys) {
  const Object line = line_of(
      R"({"n":-1.5e3,"i":12,"f":true,"t":"a\"b","d":"1m30s","o":{"x":1},"l":[{"y":2},{"y":3}]})");
  EXPECT_EQ(line.number("n"), -1500);
  EXPECT_EQ(line.integer("i", 0, 20), 12);
  EXPECT_EQ(line.number("i"), 12);
  EXPECT_EQ(line.flag("f"), true);
  EXPECT_EQ(line.text("t"), "a\"b");
  EXPECT_EQ(line.duration("d", {}), 90s);
  EXPECT_EQ(line.object("o")->number("x"), 1);
  EXPECT_EQ(line.objects("l")->at(1).integer("y", 0, 9), 3);
  EXPECT_FALSE(line.has("z"));
  EXPECT_EQ(line.keys(), (std::vector<std::string_view>{"n", "i", "f", "t", "d", "o", "l"}));
}

TEST(Object, AProblemNamesLineKeyValueAndWhatIsValid) {
  const Object line = line_of(R"({"n":"5","i":1.5,"d":"1 minute","o":{"l":[{"y":-1}]}})");
  EXPECT_EQ(problem_of(line.number("n")), R"(line 7: n: "5": want a number)");
  EXPECT_EQ(problem_of(line.number("i", {0, 1})), "line 7: i: 1.5: want a number from 0 to 1");
  EXPECT_EQ(problem_of(line.integer("i", 0, 9)), "line 7: i: 1.5: want a whole number from 0 to 9");
  EXPECT_EQ(problem_of(line.flag("n")), R"(line 7: n: "5": want true or false)");
  EXPECT_EQ(problem_of(line.text("i")), "line 7: i: 1.5: want a text");
  EXPECT_EQ(
      problem_of(line.duration("d", {2s, 1h, true})),
      R"(line 7: d: "1 minute": want a duration of whole seconds from 2s to 1h, as text with a )"
      R"(unit such as "60s")");
  EXPECT_EQ(problem_of(line.object("n")), R"(line 7: n: "5": want an object)");
  const Object inner = line.object("o")->objects("l")->front();
  EXPECT_EQ(problem_of(inner.number("y", {.min = 0})), "line 7: o.l[0].y: -1: want a number >= 0");
  EXPECT_EQ(problem_of(inner.number("z")), "line 7: o.l[0].z: missing: want a number");
}

TEST(Object, ADurationOutsideItsRangeOrWithAFractionIsRejected) {
  for (const char* text : {R"({"d":"1s"})", R"({"d":"61m"})", R"({"d":"2500ms"})", R"({"d":60})",
                           R"({"d":"-5s"})", R"({"d":""})", R"({"d":null})"}) {
    EXPECT_FALSE(line_of(text).duration("d", {2s, 1h, true})) << text;
  }
  EXPECT_EQ(line_of(R"({"d":"2500ms"})").duration("d", {2s, 1h}), 2500ms);
}

TEST(Object, SettingsMayBeNumbersTextsOrFlags) {
  const Object spec = line_of(R"({"a":70,"b":0.1,"c":"60s","d":false,"e":null})");
  EXPECT_EQ(spec.setting_text("a"), "70");
  EXPECT_EQ(spec.setting_text("b"), "0.1");
  EXPECT_EQ(spec.setting_text("c"), "60s");
  EXPECT_EQ(spec.setting_text("d"), "false");
  EXPECT_FALSE(spec.setting_text("e"));
}

TEST(Object, WhatIsNotExactlyOneObjectIsRejected) {
  EXPECT_EQ(problem_of(R"({"at":1,"record":2,"at":3})"),
            R"(line 3: the key "at" occurs twice in one object)");
  EXPECT_EQ(problem_of(R"({"a":{"b":1,"\u0062":2}})"),
            R"(line 3: the key "b" occurs twice in one object)");
  EXPECT_EQ(problem_of(R"({"a":{"b":1},"b":[{"b":1},{"b":1}]})"), "understood");
  EXPECT_EQ(problem_of("[1]"), "line 3: [1]: want a JSON object");
  EXPECT_EQ(problem_of(R"({"at":1} x)"),
            R"(line 3: {"at":1} x: more follows at byte 10; want one JSON object on each line)");
  EXPECT_EQ(problem_of("x"),
            "line 3: x: no JSON at byte 1 (syntax error); want one JSON object on each line");
  for (const char* text : {"{", R"({"a":NaN})", R"({"a":Infinity})", R"({"a":1,})", R"({'a':1})",
                           R"({"a":01})", R"({"a":+1})", R"({"a":.5})", R"({"a":1}{})", "{} // c",
                           "{\"a\":\"\xff\"}", "{\"a\":\"\n\"}", "", "nonsense"}) {
    EXPECT_NE(problem_of(std::string_view(text)), "understood") << text;
  }
}

TEST(Object, ANumberBeyondADoubleIsRejected) {
  EXPECT_EQ(problem_of(R"({"a":1e400})"), "line 3: 1e400 is beyond what a double holds");
  EXPECT_NE(problem_of(R"({"a":-1e99999999999999})"), "understood");
  EXPECT_EQ(line_of(R"({"a":1.7976931348623157e308})").number("a"), 1.7976931348623157e308);
  EXPECT_EQ(line_of(R"({"a":18446744073709551616})").number("a"), 18446744073709551616.0);
}

TEST(Object, NumbersAreTheNearestDoubles) {
  for (const double number : {560.7729196118464, 0.1, 8548.601256160553, 123456789.01234568, 5e-324,
                              1.2345678901234567e-9, 9007199254740993.0}) {
    const std::string text = shortest_text(number);
    EXPECT_EQ(line_of("{\"a\":" + text + "}").number("a"), number) << text;
  }
}

TEST(Object, ProblemsOfADocumentBeginWithItsName) {
  const Object cluster = parse(R"({"version":-1,"replicas":[{"name":3}]})", "cluster").value();
  EXPECT_EQ(problem_of(cluster.integer("version", 0, 9)),
            "cluster.version: -1: want a whole number from 0 to 9");
  EXPECT_EQ(problem_of(cluster.objects("replicas")->front().text("name")),
            "cluster.replicas[0].name: 3: want a text");
  EXPECT_EQ(problem_of(cluster.text("host")), "cluster.host: missing: want a text");
  EXPECT_EQ(to_string(parse("{} x", "cluster").error()),
            "cluster: {} x: more follows at byte 4; want one JSON object and nothing else");
  EXPECT_EQ(to_string(parse("").error()).substr(0, 6), "JSON: ");
  EXPECT_EQ(problem_of(parse("{}")->text("host")), "host: missing: want a text");
}

TEST(List, ElementsAreReadByTheirIndex) {
  const Object line = line_of(R"({"values":[[1.5,"a"],{"x":1}],"none":[]})");
  const List values = line.list("values").value();
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values.list(0)->number(0), 1.5);
  EXPECT_EQ(values.list(0)->text(1), "a");
  EXPECT_EQ(values.object(1)->number("x"), 1);
  EXPECT_EQ(line.list("none")->size(), 0U);
}

TEST(List, AProblemNamesTheIndex) {
  const Object line = line_of(R"({"values":[[1.5,"a"],{"x":1}]})");
  const List values = line.list("values").value();
  EXPECT_EQ(problem_of(values.number(1)), R"(line 7: values[1]: {"x":1}: want a number)");
  EXPECT_EQ(problem_of(values.list(0)->text(0)), "line 7: values[0][0]: 1.5: want a text");
  EXPECT_EQ(problem_of(values.list(0)->number(0, {.max = 1})),
            "line 7: values[0][0]: 1.5: want a number <= 1");
  EXPECT_EQ(problem_of(values.object(1)->text("x")), "line 7: values[1].x: 1: want a text");
  EXPECT_EQ(problem_of(values.list(1)), R"(line 7: values[1]: {"x":1}: want a list)");
  EXPECT_EQ(problem_of(values.object(0)), R"(line 7: values[0]: [1.5E0,"a"]: want an object)");
  EXPECT_EQ(problem_of(line.list("none")), "line 7: none: missing: want a list");
}

RC_GTEST_PROP(ObjectProperty, AMutatedLineIsReadOrTheProblemNamesAByteOfIt, ()) {
  std::string text = R"({"at":1.25,"spec":{"window":"60s","x":[1,2,{"y":null}]},"z":true})";
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  text[place] = *rc::gen::elementOf(std::string("{}[]\",:0123456789.eE+-ntfu \\\n\x01x"));
  const auto line = parse_line(text, 3);
  if (line) {
    RC_ASSERT(parse_line(text, 3)->keys() == line->keys());
    return;
  }
  const std::string problem = to_string(line.error());
  RC_ASSERT(problem.starts_with("line 3: "));
  const auto byte = problem.find("at byte ");
  if (byte == std::string::npos) return;  // a problem of a value: a key twice, a number
  const auto position = std::stoul(problem.substr(byte + 8));
  RC_ASSERT(position >= 1U);
  RC_ASSERT(position <= text.size() + 1);
}

}  // namespace
}  // namespace bellows::json
