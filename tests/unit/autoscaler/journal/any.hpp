// Anything that a decider may see and remember, field by field through the table, so that a new
// field is tried too.
#pragma once

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/journal.hpp"
#include "autoscaler/journal/fields.hpp"
#include "config/revision_schema.hpp"

namespace bellows::autoscaler::journal::test {

inline TimePoint begin_of_story() {
  return TimePoint(std::chrono::hours(24) + Duration(123'456'789));
}

inline Duration any_duration(Duration max) {
  return Duration(*rc::gen::inRange<std::int64_t>(0, max.count()));
}

inline double any_number(int max) {
  return *rc::gen::inRange(0, max * 1000) / 1000.0 + *rc::gen::element(0.0, 1.0 / 3, 1e-9);
}

/// Visitor that fills every field; instants lie before `at`.
class AnyField {
 public:
  explicit AnyField(TimePoint at) : at_(at) {}

  void operator()(std::string_view, std::int32_t& value) { value = *rc::gen::inRange(0, 100); }
  void operator()(std::string_view, std::uint64_t& value) {
    value = *rc::gen::inRange<std::uint64_t>(0, 50);
  }
  void operator()(std::string_view, double& value) { value = any_number(100); }
  void operator()(std::string_view, float& value) { value = static_cast<float>(any_number(100)); }
  void operator()(std::string_view, bool& value) { value = *rc::gen::arbitrary<bool>(); }
  void operator()(std::string_view, Duration& value) {
    value = any_duration(std::chrono::hours(1));
  }
  void operator()(std::string_view, TimePoint& value) {
    value = at_ - any_duration(std::chrono::hours(1));
  }
  void operator()(std::string_view, Serving& value) {
    value = *rc::gen::element(Serving::kInactive, Serving::kActivating, Serving::kActive);
  }
  void operator()(std::string_view, Problem& value) {
    value = *rc::gen::element(Problem::kNone, Problem::kNone, Problem::kNoMetrics,
                              Problem::kNoPodCount);
  }
  void operator()(std::string_view, WallTime& value) {
    value = WallTime(std::chrono::milliseconds(*rc::gen::inRange<std::int64_t>(0, 2'000'000'000)));
  }
  void operator()(std::string_view, std::string& value) {
    value = *rc::gen::element<std::string>("", "http://hook:80/", "refused");
  }
  void operator()(std::string_view, PolicySeenPtr& value) {
    value = {};
    if (*rc::gen::arbitrary<bool>()) return;
    PolicySeen seen;
    for_each_field(seen, *this);
    value = PolicySeenPtr(std::move(seen));
  }
  template <class T>
  void operator()(std::string_view, std::vector<T>& values) {
    values.resize(*rc::gen::inRange<std::size_t>(0, 3));
    for (T& value : values) for_each_field(value, *this);
  }
  template <class T>
  void operator()(std::string_view key, std::optional<T>& value) {
    value.reset();
    if (*rc::gen::arbitrary<bool>()) (*this)(key, value.emplace());
  }
  template <class T>
  requires requires(T& value, AnyField& visit) { for_each_field(value, visit); }
  void operator()(std::string_view, T& value) { for_each_field(value, *this); }

 private:
  TimePoint at_;
};

inline DeciderState any_state(TimePoint at) {
  DeciderState state;
  AnyField visit(at);
  for_each_field(static_cast<Memory&>(state), visit);
  std::vector<DelayWindow::Entry> delay;
  const std::int32_t last = DelayWindow::slot_of(at);
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) delay.push_back({last - 10 + 2 * i, 40 - 9 * i});
  state.delay.restore(std::move(delay));
  return state;
}

inline Observation any_observation(TimePoint at, const ScalingSpec& spec) {
  Observation seen;
  AnyField visit(at);
  for_each_field(seen, visit);
  const auto stable = static_cast<std::int32_t>(to_seconds(spec.stable_window));
  const auto panic = static_cast<std::int32_t>(to_seconds(spec.panic_window));
  seen.stable = {any_number(500), any_number(50), *rc::gen::inRange(0, stable + 1)};
  seen.panic = {any_number(500), any_number(50), *rc::gen::inRange(0, panic + 1)};
  seen.is_retired = seen.is_retired && *rc::gen::inRange(0, 8) == 0;
  seen.is_paused = seen.is_paused && *rc::gen::inRange(0, 8) == 0;
  return seen;
}

inline SettingsPtr any_settings() {
  config::Layer layer = {
      config::flag("profile", *rc::gen::element<std::string>("bellows", "knative", "seed"))};
  const auto maybe = [&](const char* name, std::initializer_list<const char*> values) {
    if (*rc::gen::inRange(0, 3) != 0) return;
    layer.push_back(config::flag(
        name, *rc::gen::elementOf(std::vector<std::string>(values.begin(), values.end()))));
  };
  maybe("target", {"0.3", "7", "10", "33.333"});
  maybe("container-concurrency", {"1", "20"});
  maybe("target-utilization-percentage", {"70", "81.7"});
  maybe("metric", {"rps", "concurrency"});
  maybe("metric-aggregation-algorithm", {"peak", "weighted-exponential"});
  maybe("window", {"30s", "2m"});
  maybe("panic-window-percentage", {"7.5", "50"});
  maybe("panic-threshold-percentage", {"110", "333.3"});
  maybe("max-scale", {"9", "50"});
  maybe("activation-scale", {"2", "4"});
  maybe("scale-down-delay", {"5s", "1m"});
  maybe("target-burst-capacity", {"0", "-1", "12.5"});
  maybe("enable-scale-to-zero", {"false"});
  maybe("cpu-utilization", {"60", "33.3"});
  maybe("memory-utilization", {"77.7"});
  maybe("waiting-percentage", {"1"});
  maybe("keep-alive", {"constant"});
  maybe("first-replicas", {"one"});
  config::RevisionSettings settings = config::revision_schema().apply({layer}).value();
  using config::MinScaleFrom;
  const auto from = *rc::gen::element(MinScaleFrom::kDeploy, MinScaleFrom::kSlowBrain);
  settings.raise_min_scale(*rc::gen::inRange<PodCount>(0, 3), from);
  return std::make_shared<const config::RevisionSettings>(settings);
}

}  // namespace bellows::autoscaler::journal::test
