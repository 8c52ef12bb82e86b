#include "replay/filter.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "json/writer.hpp"

namespace bellows::replay {
namespace {

using namespace std::chrono_literals;

/// Answers each line with its time; a line with "bad" is refused after half an answer.
class Echo : public Filter {
 public:
  Result<void> take(const json::Object& line, std::string& out) override {
    BELLOWS_TRY(const Instant at, clock_.advance(line));
    out += json::Writer().number("at", at.seconds).end_line();
    if (line.has("bad")) return fail(line.invalid("bad", "nothing of the kind"));
    return {};
  }

 private:
  VirtualClock clock_;
};

struct Outcome {
  std::string out;
  std::string problem;
};

Outcome run(const std::string& text) {
  Echo echo;
  std::istringstream in(text);
  std::ostringstream out;
  const auto fed = feed(echo, in, out);
  return {out.str(), fed ? "" : to_string(fed.error())};
}

TEST(Feed, TheOutputOfEveryLineIsInOrder) {
  const Outcome good = run("{\"at\":0.25}\n{\"at\":3.6}\n");
  EXPECT_EQ(good.out, "{\"at\":0.25}\n{\"at\":3.6}\n");
  EXPECT_EQ(good.problem, "");
}

TEST(Feed, TheLastLineNeedsNoBreakAndEmptyLinesAreSkippedButCounted) {
  EXPECT_EQ(run("\n  \r\n{\"at\":1}").out, "{\"at\":1}\n");
  EXPECT_EQ(run("\n\n{\"at\":\"x\"}").problem,
            "line 3: at: \"x\": want a number from 0 to 4000000000");
}

TEST(Feed, StopsAtTheFirstProblemAndPrintsNothingForIt) {
  const Outcome stopped = run("{\"at\":1}\n{\"at\":2,\"bad\":5}\n{\"at\":3}\n");
  EXPECT_EQ(stopped.out, "{\"at\":1}\n");
  EXPECT_EQ(stopped.problem, "line 2: bad: 5: want nothing of the kind");
}

TEST(VirtualClock, TimeNeverDecreasesButMayBeEqual) {
  EXPECT_EQ(run("{\"at\":2}\n{\"at\":2}\n{\"at\":1.999}\n").problem,
            "line 3: at: 1.999: want at least 2, the time of the line before");
}

TEST(VirtualClock, AfterAResetItMayBeEarlier) {
  VirtualClock clock;
  EXPECT_TRUE(clock.advance(json::parse_line(R"({"at":100})", 1).value()));
  clock.reset();
  EXPECT_TRUE(clock.advance(json::parse_line(R"({"at":1})", 2).value()));
}

TEST(VirtualClock, MillisecondsAreExactHoweverLateTheyAre) {
  VirtualClock clock;
  const auto at = [&](std::string_view text) {
    return clock.advance(json::parse_line(text, 1).value())->time.time_since_epoch();
  };
  EXPECT_EQ(at(R"({"at":0.001})"), 1ms);
  EXPECT_EQ(at(R"({"at":109.249})"), 109249ms);
  EXPECT_EQ(at(R"({"at":1999999.999})"), 1999999999ms);
}

}  // namespace
}  // namespace bellows::replay
