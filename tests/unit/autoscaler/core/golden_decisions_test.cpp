// Profile knative against what Knative's real code answered (tests/golden/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "autoscaler/explain/catalogue.hpp"
#include "json/object.hpp"
#include "metrics/knative/collector.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

using json::Object;

std::vector<Object> lines_of(const std::string& name) {
  std::ifstream file(std::string(BELLOWS_GOLDEN_DIR) + "/" + name);
  std::vector<Object> lines;
  for (std::string text; std::getline(file, text);) {
    lines.push_back(json::parse_line(text, lines.size() + 1).value());
  }
  return lines;
}

double number(const Object& line, std::string_view key) {
  return line.number(key).value();
}

PodCount pods(const Object& line, std::string_view key) {
  return static_cast<PodCount>(line.integer(key, 0, 1'000'000'000).value());
}

/// `at` has at most three decimals and is meant exactly.
TimePoint instant(const Object& line) {
  return TimePoint(std::chrono::milliseconds(std::llround(number(line, "at") * 1000)));
}

/// One autoscaler, fed with the lines of a file.
class Replayed {
 public:
  Decision evaluate(const Object& line) {
    Observation seen = counts(line);
    const auto covered = static_cast<std::int32_t>(to_seconds(settings_.window));
    seen.stable = {number(line, "stable"), 0, covered};
    seen.panic = {number(line, "panic"), 0, covered};
    return decide(line, seen);
  }

  Decision evaluate_stats(const Object& line) {
    Observation seen = counts(line);
    const TimePoint now = instant(line);
    const bool is_empty = collector_->is_empty(now);
    const std::int32_t covered = is_empty ? 0 : 1;
    seen.stable = {collector_->stable(settings_.metric, now), 0, covered};
    seen.panic = {collector_->panic(settings_.metric, now), 0, covered};
    return decide(line, seen);
  }

  void specify(const Object& line) {
    read(line.object("spec").value());
    if (!line.has("new")) {
      return collector_->resize(settings_.window, settings_.panic_window(), instant(line));
    }
    collector_ = std::make_unique<metrics::knative::Collector>(
        settings_.window, settings_.panic_window(), settings_.aggregation);
    Observation seen;
    seen.ready = pods(line, "ready");
    story_ = Story(begin(spec_, seen, instant(line)));
  }

  void record(const Object& line) {
    const auto stats = line.objects("stats").value();
    for (const Object& stat : stats) {
      collector_->record(instant(line),
                         number(stat, "concurrency") - number(stat, "proxied-concurrency"),
                         number(stat, "requests") - number(stat, "proxied-requests"));
    }
  }

 private:
  void read(const Object& keys) {
    config::Layer layer = {config::flag("profile", "knative")};
    TargetOverride given{number(keys, "target-value"), number(keys, "total-value")};
    is_reachable_ = true;
    for (const std::string_view key : keys.keys()) {
      if (key == "target-value" || key == "total-value") continue;
      if (key == "reachable") {
        is_reachable_ = keys.flag(key).value();
      } else {
        layer.push_back(config::flag(std::string(key), keys.setting_text(key).value()));
      }
    }
    settings_ = config::revision_schema().apply({layer}).value();
    spec_ = scaling_spec(settings_, given);
  }

  Observation counts(const Object& line) const {
    Observation seen;
    seen.ready = pods(line, "ready");
    seen.is_reachable = is_reachable_;
    return seen;
  }

  Decision decide(const Object& line, const Observation& seen) {
    return story_.decide(spec_, seen, instant(line));
  }

  config::RevisionSettings settings_;
  ScalingSpec spec_;
  bool is_reachable_ = true;
  Story story_;
  std::unique_ptr<metrics::knative::Collector> collector_;
};

void expect_answer(const Decision& decision, const Object& want) {
  SCOPED_TRACE(explain::reason_text(decision));
  ASSERT_EQ(decision.is_valid, want.flag("valid").value());
  if (!decision.is_valid) return;
  EXPECT_EQ(decision.desired, pods(want, "desired"));
  EXPECT_EQ(decision.burst_capacity, number(want, "excess-burst-capacity"));
  EXPECT_EQ(to_string(decision.mode), want.text("mode").value());
  EXPECT_EQ(decision.after.panic_max, pods(want, "panic-max"));
}

TEST(Golden, EveryDecisionOnGivenAveragesIsKnatives) {
  const auto wanted = lines_of("decisions.out.jsonl");
  Replayed replayed;
  std::size_t row = 0;
  for (const Object& line : lines_of("decisions.in.jsonl")) {
    if (line.has("spec")) {
      replayed.specify(line);
      continue;
    }
    SCOPED_TRACE("row " + std::to_string(row + 1) + " at " + line.setting_text("at").value());
    expect_answer(replayed.evaluate(line), wanted.at(row++));
    if (HasFailure()) return;
  }
  EXPECT_EQ(row, 1285U);
}

TEST(Golden, EveryDecisionOnStatsIsKnatives) {
  const auto wanted = lines_of("decisions-stats.out.jsonl");
  Replayed replayed;
  std::size_t row = 0;
  for (const Object& line : lines_of("decisions-stats.in.jsonl")) {
    if (line.has("spec")) {
      replayed.specify(line);
    } else if (line.has("stats")) {
      replayed.record(line);
    } else {
      SCOPED_TRACE("row " + std::to_string(row + 1) + " at " + line.setting_text("at").value());
      expect_answer(replayed.evaluate_stats(line), wanted.at(row++));
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(row, 265U);
}

}  // namespace
}  // namespace bellows::autoscaler::test
