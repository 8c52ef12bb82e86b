#include "replay/json_line.hpp"

#include <gtest/gtest.h>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "replay/json_object.hpp"

namespace bellows::replay {
namespace {

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(1e22), "1e+22");
  EXPECT_EQ(number_text(560.77292), "560.77292");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.30000000000000004");
}

TEST(JsonLine, MembersStandInTheOrderOfTheCalls) {
  const std::string line = JsonLine()
                               .number("at", 3.6)
                               .integer("desired", -1)
                               .flag("valid", true)
                               .text("reason", "a \"word\"\n")
                               .null("target")
                               .open("spec")
                               .text("window", "60s")
                               .close()
                               .open_list("pods")
                               .open("")
                               .text("pod", "a")
                               .close()
                               .open("")
                               .close()
                               .close()
                               .end();
  EXPECT_EQ(line, R"({"at":3.6,"desired":-1,"valid":true,"reason":"a \"word\"\n","target":null,)"
                  R"("spec":{"window":"60s"},"pods":[{"pod":"a"},{}]})"
                  "\n");
}

RC_GTEST_PROP(JsonLineProperty, EveryDoubleReadsBack, (std::uint64_t bits)) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  RC_PRE(std::isfinite(number));
  const auto line = parse_line(JsonLine().number("x", number).end(), 1);
  RC_ASSERT(line->number("x") == number);
}

}  // namespace
}  // namespace bellows::replay
