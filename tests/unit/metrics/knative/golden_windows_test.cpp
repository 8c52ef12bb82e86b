// Every row that Knative's own windows answered: tests/golden/README.md.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "metrics/knative/bucket_window.hpp"
#include "replay/filter.hpp"

namespace bellows::metrics::knative {
namespace {

/// Reads a line of the file into an object; nothing at its end.
std::optional<json::Object> next_row(std::ifstream& file, std::size_t& number) {
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  return json::parse_line(text, ++number).value();
}

bool has_same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

struct WindowStory {
  std::optional<BucketWindow> window;
  replay::VirtualClock clock;

  void begin(const json::Object& line) {
    const bool is_linear = line.text("algorithm") == "linear";
    window.emplace(line.duration("window", {}).value(),
                   is_linear ? Aggregation::kLinear : Aggregation::kWeightedExponential);
    clock.reset();
  }

  void expect(const json::Object& answer, TimePoint at) {
    const double expected = answer.number("average").value();
    const double average = window->average(at);
    EXPECT_TRUE(has_same_bits(average, expected)) << average << " for " << expected;
    EXPECT_EQ(window->is_empty(at), answer.flag("empty").value());
  }
};

TEST(GoldenWindows, EveryRowIsKnativesResult) {
  std::ifstream in(BELLOWS_GOLDEN_DIR "/windows.in.jsonl");
  std::ifstream out(BELLOWS_GOLDEN_DIR "/windows.out.jsonl");
  std::size_t in_line = 0;
  std::size_t out_line = 0;
  WindowStory story;
  while (const auto line = next_row(in, in_line)) {
    SCOPED_TRACE("windows.in.jsonl:" + std::to_string(in_line));
    if (line->has("window")) {
      story.begin(*line);
      continue;
    }
    const TimePoint at = story.clock.advance(*line).value().time;
    if (line->has("record")) story.window->record(at, line->number("record").value());
    if (line->has("resize")) story.window->resize(line->duration("resize", {}).value(), at);
    if (line->has("read")) {
      const auto answer = next_row(out, out_line);
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->number("at").value(), line->number("at").value());
      story.expect(*answer, at);
    }
  }
  EXPECT_EQ(out_line, 2129U);
  EXPECT_FALSE(next_row(out, out_line)) << "an answer without a question";
}

}  // namespace
}  // namespace bellows::metrics::knative
