#include "config/field.hpp"

#include <gtest/gtest.h>

#include "config/aliases.hpp"
#include "config/read_value.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

Value read_as(const Declaration& declaration, std::string_view text,
              std::string_view spelling = "key") {
  const auto value = read_value(declaration, spelling, text);
  EXPECT_TRUE(value.has_value()) << text << ": " << to_string(value.error());
  return value.value_or(Value());
}

std::string problem_of(const Declaration& declaration, std::string_view text,
                       std::string_view spelling = "key") {
  const auto value = read_value(declaration, spelling, text);
  return value ? "accepted " + value_text(declaration, *value) : value.error().message();
}

TEST(ReadValue, ReadsEachKindAsPeopleWriteIt) {
  EXPECT_EQ(read_as({.kind = Kind::kDuration}, "1m30s"), Value(Duration(90s)));
  EXPECT_EQ(read_as({.kind = Kind::kInteger}, "-12"), Value(std::int64_t{-12}));
  EXPECT_EQ(read_as({.kind = Kind::kNumber}, "0.5"), Value(0.5));
  EXPECT_EQ(read_as({.kind = Kind::kPercent}, "70"), Value(70.0));
  EXPECT_EQ(read_as({.kind = Kind::kPercent}, "70%"), Value(70.0));
  EXPECT_EQ(read_as({.kind = Kind::kFlag}, "true"), Value(true));
  EXPECT_EQ(read_as({.kind = Kind::kText}, "any thing"), Value(std::string("any thing")));
  EXPECT_EQ(read_as({.kind = Kind::kChoice, .choices = {"a", "b"}}, "b"), Value(std::string("b")));
  EXPECT_EQ(read_as({.kind = Kind::kBytes}, "64Mi"), Value(mebibytes(64)));
  EXPECT_EQ(read_as({.kind = Kind::kCpu}, "250m"), Value(Millicores{250}));
  EXPECT_EQ(read_as({.kind = Kind::kCpu}, "1.5"), Value(Millicores{1500}));
  EXPECT_EQ(read_as({.kind = Kind::kEndpoint}, ":80"),
            Value(Endpoint{.host = "0.0.0.0", .port = 80, .unix_path = {}}));
  EXPECT_EQ(read_as({.kind = Kind::kWebSocketUrl}, "ws://a:1/b"),
            Value(WebSocketUrl{{.host = "a", .port = 1, .unix_path = {}}, "/b"}));
}

TEST(ReadValue, RejectsTextOfAnotherKindAndNamesWhatIsValid) {
  EXPECT_EQ(problem_of({.kind = Kind::kDuration}, "90"), "\"90\": want a duration (90s, 1m30s)");
  EXPECT_EQ(problem_of({.kind = Kind::kFlag}, "yes"), "\"yes\": want true or false");
  EXPECT_EQ(problem_of({.kind = Kind::kChoice, .choices = {"a", "b", "c"}}, "A"),
            "\"A\": want a, b or c");
  EXPECT_EQ(problem_of({.kind = Kind::kBytes}, "64 MB"),
            "\"64 MB\": want an amount of memory (64Mi, 1Gi)");
  EXPECT_EQ(problem_of({.kind = Kind::kCpu}, "half"),
            "\"half\": want an amount of CPU (250m, 0.5, 2)");
  EXPECT_EQ(problem_of({.kind = Kind::kEndpoint}, "8080"),
            "\"8080\": want HOST:PORT or unix:/PATH");
  EXPECT_EQ(problem_of({.kind = Kind::kWebSocketUrl}, "http://a:1"),
            "\"http://a:1\": want ws://HOST:PORT/PATH");
}

TEST(ReadValue, RejectsAmbiguousNumbers) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "0x10", "1_000", "1e3", "1.0", "one", "9223372036854775808"}) {
    EXPECT_EQ(problem_of({.kind = Kind::kInteger}, text),
              "\"" + std::string(text) + "\": want a whole number");
  }
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "1,5", "+1", "70%"}) {
    EXPECT_EQ(problem_of({.kind = Kind::kNumber}, text),
              "\"" + std::string(text) + "\": want a number");
  }
  for (const char* text : {"", "%", "70%%", "% 70"}) {
    EXPECT_EQ(problem_of({.kind = Kind::kPercent}, text),
              "\"" + std::string(text) + "\": want a percentage");
  }
  for (const auto& [kind, text, want] : {std::tuple(Kind::kInteger, "010", "a whole number"),
                                         std::tuple(Kind::kInteger, "-01", "a whole number"),
                                         std::tuple(Kind::kNumber, "00.5", "a number"),
                                         std::tuple(Kind::kPercent, "070", "a percentage")}) {
    EXPECT_EQ(problem_of({.kind = kind}, text),
              "\"" + std::string(text) + "\": want " + want + ", without a leading zero");
  }
}

TEST(ReadValue, ReadsABareNumberIfTheNameEndsInTheUnit) {
  const Declaration timeout = {.kind = Kind::kDuration, .bounds = between(0s, 24h)};
  EXPECT_EQ(read_as(timeout, "300", "REVISION_TIMEOUT_SECONDS"), Value(Duration(300s)));
  EXPECT_EQ(read_as(timeout, "300", "revision-timeout-seconds"), Value(Duration(300s)));
  EXPECT_EQ(read_as(timeout, "300", "timeoutSeconds"), Value(Duration(300s)));
  EXPECT_EQ(read_as(timeout, "0.5", "timeoutSeconds"), Value(Duration(500ms)));
  EXPECT_EQ(read_as(timeout, "250", "PROBE_MS"), Value(Duration(250ms)));
  EXPECT_EQ(
      problem_of(timeout, "5m", "REVISION_TIMEOUT_SECONDS"),
      "\"5m\": want a duration (90s, 1m30s) from 0s to 24h, here as a bare number of seconds");
  EXPECT_EQ(
      problem_of(timeout, "300s", "timeoutSeconds"),
      "\"300s\": want a duration (90s, 1m30s) from 0s to 24h, here as a bare number of seconds");
  EXPECT_EQ(problem_of(timeout, "", "timeoutSeconds"),
            "\"\": want a duration (90s, 1m30s) from 0s to 24h, here as a bare number of seconds");
}

TEST(ReadValue, RejectsValuesOutOfBounds) {
  const Declaration scale = {.kind = Kind::kInteger, .bounds = between(1, 10)};
  EXPECT_EQ(problem_of(scale, "0"), "\"0\": want a whole number from 1 to 10");
  EXPECT_EQ(problem_of(scale, "1"), "accepted 1");
  EXPECT_EQ(problem_of(scale, "10"), "accepted 10");
  EXPECT_EQ(problem_of(scale, "11"), "\"11\": want a whole number from 1 to 10");

  const Declaration rate = {.kind = Kind::kNumber, .bounds = above(1)};
  EXPECT_EQ(problem_of(rate, "1"), "\"1\": want a number > 1");
  EXPECT_EQ(problem_of(rate, "1.001"), "accepted 1.001");

  const Declaration burst = {.kind = Kind::kNumber, .bounds = or_also(-1, at_least(0))};
  EXPECT_EQ(problem_of(burst, "-1"), "accepted -1");
  EXPECT_EQ(problem_of(burst, "-0.5"), "\"-0.5\": want a number >= 0, or -1");
  EXPECT_EQ(problem_of(burst, "-2"), "\"-2\": want a number >= 0, or -1");
  EXPECT_EQ(problem_of(burst, "0"), "accepted 0");

  const Declaration window = {.kind = Kind::kDuration, .bounds = in_whole_seconds(between(2s, 1h))};
  EXPECT_EQ(problem_of(window, "1999ms"),
            "\"1999ms\": want a duration (90s, 1m30s) from 2s to 1h, in whole seconds");
  EXPECT_EQ(problem_of(window, "2s"), "accepted 2s");
  EXPECT_EQ(problem_of(window, "2500ms"),
            "\"2500ms\": want a duration (90s, 1m30s) from 2s to 1h, in whole seconds");
  EXPECT_EQ(problem_of(window, "1h"), "accepted 1h");
  EXPECT_EQ(problem_of(window, "3601s"),
            "\"3601s\": want a duration (90s, 1m30s) from 2s to 1h, in whole seconds");
}

TEST(ReadValue, TakesNoFractionForAPercentage) {
  const Declaration percent = {.kind = Kind::kPercent, .bounds = between(1, 100)};
  EXPECT_EQ(read_as(percent, "1"), Value(1.0));
  EXPECT_EQ(read_as(percent, "1.5%"), Value(1.5));
  EXPECT_EQ(problem_of(percent, "0.7"), "\"0.7\": want a percentage from 1 to 100");
}

TEST(ReadValue, AllowsAnEmptyAddressOnlyIfItIsNotRequired) {
  EXPECT_EQ(read_as({.kind = Kind::kEndpoint}, ""), Value(Endpoint{}));
  EXPECT_EQ(read_as({.kind = Kind::kWebSocketUrl}, ""), Value(WebSocketUrl{}));
  EXPECT_EQ(problem_of({.kind = Kind::kEndpoint, .required = true}, ""),
            "\"\": want HOST:PORT or unix:/PATH");
  EXPECT_EQ(problem_of({.kind = Kind::kWebSocketUrl, .required = true}, ""),
            "\"\": want ws://HOST:PORT/PATH");
}

TEST(Names, AreSpelledAsInKnativeAndInTheEnvironment) {
  EXPECT_EQ(camel_case("target-burst-capacity"), "targetBurstCapacity");
  EXPECT_EQ(camel_case("window"), "window");
  EXPECT_EQ(variable_name("min-scale"), "BELLOWS_MIN_SCALE");
  EXPECT_EQ(annotation_aliases("min-scale"),
            (Strings{"autoscaling.knative.dev/min-scale", "minScale",
                     "autoscaling.knative.dev/minScale"}));
  EXPECT_EQ(annotation_aliases("window"), (Strings{"autoscaling.knative.dev/window"}));
}

}  // namespace
}  // namespace bellows::config
