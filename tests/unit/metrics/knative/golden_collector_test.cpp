// The stable and panic averages that Knative's collector gave its autoscaler:
// tests/golden/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

#include "metrics/knative/collector.hpp"
#include "replay/filter.hpp"

namespace bellows::metrics::knative {
namespace {

using namespace std::chrono_literals;

std::optional<json::Object> next(std::ifstream& file, std::size_t& number) {
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  return json::parse_line(text, ++number).value();
}

/// A spec line is complete: what it leaves out has Knative's default.
struct Spec {
  explicit Spec(const json::Object& spec) {
    if (spec.has("window")) stable = spec.duration("window", {}).value();
    const double percentage = spec.number("panic-window-percentage").value_or(10);
    const double seconds = std::round(to_seconds(stable) * percentage / 100);
    panic = std::chrono::seconds(static_cast<std::int64_t>(std::max(seconds, 1.0)));
    if (spec.text("metric").value_or("concurrency") == "rps") metric = Metric::kRps;
    if (spec.text("metric-aggregation-algorithm").value_or("linear") != "linear") {
      aggregation = Aggregation::kWeightedExponential;
    }
  }

  Duration stable = 60s;
  Duration panic = 6s;
  Metric metric = Metric::kConcurrency;
  Aggregation aggregation = Aggregation::kLinear;
};

struct Story {
  std::optional<Spec> spec;
  std::optional<Collector> collector;
  replay::VirtualClock clock;

  TimePoint advance(const json::Object& line) {
    if (line.has("new")) clock.reset();
    return clock.advance(line).value().time;
  }

  void specify(const json::Object& line, TimePoint at) {
    spec.emplace(line.object("spec").value());
    if (line.has("new")) {
      collector.emplace(spec->stable, spec->panic, spec->aggregation);
    } else {
      collector->resize(spec->stable, spec->panic, at);
    }
  }

  void record(const json::Object& line, TimePoint at) {
    const auto stats = line.objects("stats").value();
    for (const json::Object& stat : stats) {
      const auto amount = [&](const char* key) { return stat.number(key).value_or(0); };
      collector->record(at, amount("concurrency") - amount("proxied-concurrency"),
                        amount("requests") - amount("proxied-requests"));
    }
  }

  void expect(const json::Object& answer, TimePoint at) {
    if (!answer.flag("valid").value()) {
      EXPECT_TRUE(collector->is_empty(at));
      return;
    }
    const auto tolerance = [&](double expected) {
      return spec->aggregation == Aggregation::kLinear ? 0 : 1e-12 * std::abs(expected);
    };
    const double stable = answer.number("stable").value();
    const double panic = answer.number("panic").value();
    EXPECT_NEAR(collector->stable(spec->metric, at), stable, tolerance(stable));
    EXPECT_NEAR(collector->panic(spec->metric, at), panic, tolerance(panic));
  }
};

TEST(GoldenCollector, EveryAverageIsWhatKnativeDecidedFrom) {
  std::ifstream in(BELLOWS_GOLDEN_DIR "/decisions-stats.in.jsonl");
  std::ifstream out(BELLOWS_GOLDEN_DIR "/decisions-stats.out.jsonl");
  std::size_t in_line = 0;
  std::size_t out_line = 0;
  Story story;
  while (const auto line = next(in, in_line)) {
    SCOPED_TRACE("decisions-stats.in.jsonl:" + std::to_string(in_line));
    const TimePoint at = story.advance(*line);
    if (line->has("spec")) story.specify(*line, at);
    if (line->has("stats")) story.record(*line, at);
    if (line->has("evaluate")) {
      const auto answer = next(out, out_line);
      ASSERT_TRUE(answer);
      story.expect(*answer, at);
    }
  }
  EXPECT_GT(out_line, 100U);
  EXPECT_FALSE(next(out, out_line)) << "an answer without a question";
}

}  // namespace
}  // namespace bellows::metrics::knative
