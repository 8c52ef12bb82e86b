// What holds whatever comes, under every profile for which it must.
#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autoscaler/core/journal.hpp"
#include "metrics/revision_windows.hpp"
#include "tests/support/stat_diary.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

using Profiles = std::vector<const char*>;

const Profiles kAll = {"bellows", "knative", "seed"};

double any_load() {
  const int hundredths = *rc::gen::oneOf(rc::gen::just(0), rc::gen::inRange(0, 200'000));
  return hundredths / 100.0;
}

ScalingSpec any_spec(const Profiles& profiles) {
  ScalingSpec spec = spec_of(*rc::gen::elementOf(profiles));
  spec.target = *rc::gen::inRange(1, 2000) / 20.0;
  spec.total = spec.target / 0.7;
  spec.max_scale_up_rate = *rc::gen::inRange(11, 200) / 10.0;
  spec.max_scale_down_rate = *rc::gen::element(1.1, 2.0, 1e6);
  spec.min_scale = *rc::gen::inRange(0, 5);
  spec.max_scale = *rc::gen::element(0, 5, 8, 100);
  spec.initial_scale = *rc::gen::inRange(0, 5);
  spec.enable_scale_to_zero = *rc::gen::arbitrary<bool>();
  return spec;
}

Observation any_observation() {
  Observation seen;
  seen.stable = {any_load(), any_load() / 10, *rc::gen::inRange(0, 61)};
  seen.panic = {any_load(), any_load() / 10, *rc::gen::inRange(0, 7)};
  seen.newest = any_load();
  seen.stable_rate = any_load();
  seen.panic_rate = any_load();
  seen.start_time = seconds(*rc::gen::inRange(0, 60));
  seen.ready = *rc::gen::inRange(0, 60);
  seen.not_reporting = *rc::gen::inRange(0, seen.ready + 1);
  seen.observed = seen.ready - seen.not_reporting;
  seen.in_window = seen.observed + *rc::gen::inRange(0, 5);
  seen.starting = *rc::gen::inRange(0, 60);
  seen.requested = *rc::gen::inRange(0, 100);
  seen.waiting = *rc::gen::element<std::uint64_t>(0, 0, 1, 500);
  const bool is_idle = seen.stable.total + seen.panic.total + seen.newest == 0 && seen.waiting == 0;
  seen.idle_for = seconds(is_idle ? *rc::gen::inRange(0, 170) : 0);
  seen.problem = *rc::gen::element(Problem::kNone, Problem::kNone, Problem::kNone,
                                   Problem::kNoMetrics, Problem::kNoPodCount);
  return seen;
}

/// A story of decisions two seconds apart, each with what came before it in mind.
std::vector<Decision> any_story(const ScalingSpec& spec, Story story) {
  std::vector<Decision> decisions;
  const int length = *rc::gen::inRange(1, 60);
  for (int i = 0; i < length; ++i) {
    decisions.push_back(story.decide(spec, any_observation(), at(2 * i)));
  }
  return decisions;
}

std::vector<Decision> any_story(const ScalingSpec& spec) {
  return any_story(spec, Story(begin(spec, any_observation(), at(0))));
}

/// The state behind the last of them.
DeciderState state_after(const std::vector<Decision>& decisions) {
  DeciderState state;
  for (const Decision& decision : decisions) remember(state, decision);
  return state;
}

RC_GTEST_PROP(DeciderAlways, StaysWithinItsBounds, ()) {
  const ScalingSpec spec = any_spec(kAll);
  for (const Decision& decision : any_story(spec)) {
    RC_ASSERT(decision.replicas >= spec.min_scale);
    RC_ASSERT(decision.replicas >= (spec.enable_scale_to_zero ? 0 : 1));
    if (spec.max_scale > 0) RC_ASSERT(decision.replicas <= spec.max_scale);
  }
}

RC_GTEST_PROP(DeciderAlways, KeepsTheLastReplicaWhileItIsCalled, ()) {
  for (const Decision& decision : any_story(any_spec({"bellows"}))) {
    const Observation& seen = decision.seen;
    const bool is_called = seen.newest > 0 || seen.panic.total > 0 || seen.waiting > 0;
    if (decision.is_valid && is_called && seen.requested > 0) RC_ASSERT(decision.replicas >= 1);
  }
}

RC_GTEST_PROP(DeciderAlways, NeverScalesDownInPanic, ()) {
  ScalingSpec spec = any_spec(kAll);
  spec.initial_scale = 1;  // a greater one is given up once it was reached, in panic too
  std::vector<Decision> story = any_story(spec);
  std::erase_if(story, [](const Decision& decision) { return !decision.is_valid; });
  for (std::size_t i = 1; i < story.size(); ++i) {
    const bool is_one_panic = story[i - 1].mode == Mode::kPanic && story[i].mode == Mode::kPanic;
    const bool is_the_same = story[i - 1].after.panic && story[i].after.panic &&
                             story[i - 1].after.panic->since == story[i].after.panic->since;
    if (is_one_panic && is_the_same) RC_ASSERT(story[i].replicas >= story[i - 1].replicas);
  }
}

// Not the seed: its panic looks at the short window alone, even if that asks for less.
RC_GTEST_PROP(DeciderAlways, MoreLoadNeverGetsFewerReplicas, ()) {
  const ScalingSpec spec = any_spec({"bellows", "knative"});
  const DeciderState state = state_after(any_story(spec));
  const Observation less = any_observation();
  const Decision with_less = decide(spec, less, state, at(200));
  RC_PRE(with_less.is_valid);
  Observation more = less;
  more.stable.total += any_load();
  more.panic.total += any_load();
  const auto waiting = *rc::gen::inRange<std::uint64_t>(0, 100);
  more.waiting += waiting;
  more.newest += any_load() + static_cast<double>(waiting);  // the load holds what waits
  RC_ASSERT(decide(spec, more, state, at(200)).replicas >= with_less.replicas);
}

RC_GTEST_PROP(DeciderAlways, ShowsFiniteNumbers, ()) {
  for (const Decision& decision : any_story(any_spec(kAll))) {
    RC_ASSERT(std::isfinite(decision.panic_ratio));
    RC_ASSERT(std::isfinite(decision.burst_capacity));
    RC_ASSERT(decision.replicas >= 0);
  }
}

RC_GTEST_PROP(DeciderAlways, GrowsNoFasterThanTheUpRate, ()) {
  ScalingSpec spec = any_spec(kAll);
  spec.min_scale = 0;
  spec.initial_scale = 0;
  const Observation seen = any_observation();
  const Decision decision = decide(spec, seen, {}, at(0));
  const PodCount counted =
      std::max<PodCount>({1, seen.observed, seen.ready, seen.in_window}) + seen.starting;
  RC_ASSERT(decision.replicas <=
            std::max<double>(std::ceil(spec.max_scale_up_rate * counted), seen.requested));
}

RC_GTEST_PROP(DeciderAlways, IsTheSameForEightTimesTheLoadAndTarget, ()) {
  // Square-root headroom is a smaller part of a larger load: the fixed one is scale-free.
  ScalingSpec spec = any_spec(kAll);
  spec.rules.headroom = config::Headroom::kUtilization;
  spec.rules.early_scale_up = config::EarlyScaleUp::kWindow;
  Observation seen = any_observation();
  seen.waiting = 0;
  const PodCount want = decide(spec, seen, {}, at(0)).replicas;
  spec.target *= 8;  // a power of two: exact
  seen.stable.total *= 8;
  seen.stable.per_pod *= 8;
  seen.panic.total *= 8;
  seen.panic.per_pod *= 8;
  RC_ASSERT(decide(spec, seen, {}, at(0)).replicas == want);
}

RC_GTEST_PROP(DeciderAlways, ReplaysAJournalFromItsOpening, ()) {
  ScalingSpec spec = any_spec(kAll);
  spec.scale_down_delay = seconds(*rc::gen::element(0, 10, 120));
  Journal journal;
  DeciderState state = begin(spec, any_observation(), at(0));
  journal.start_from(state);
  std::vector<Decision> taken;
  const int length = *rc::gen::inRange(1, 100);
  for (int i = 0; i < length; ++i) {
    spec.max_scale = *rc::gen::element(0, 50);
    const Decision decision = decide(spec, any_observation(), state, at(2 * i));
    remember(state, decision);
    journal.add(decision, nullptr);
    taken.push_back(decision);
  }
  const std::vector<JournalEntry> entries = journal.entries();
  const std::size_t kept = std::min(taken.size(), Journal::kKept);
  RC_ASSERT(entries.size() == kept);
  Story again(journal.opening());
  for (std::size_t i = 0; i < kept; ++i) {
    const Decision& recorded = entries[i].decision;
    RC_ASSERT(recorded == taken[taken.size() - kept + i]);
    RC_ASSERT(again.decide(recorded.spec, recorded.seen, recorded.at) == recorded);
  }
  RC_ASSERT(again.state() == state);
}

/// What the windows make of stats, one second after the other.
Observation observed(const std::vector<std::vector<metrics::Stat>>& seconds_of_stats) {
  metrics::RevisionWindows windows(seconds(60), seconds(6));
  bellows::test::StatDiary diary(windows);
  std::int64_t second = 0;
  for (const auto& stats : seconds_of_stats) {
    for (const metrics::Stat& stat : stats) diary.record(stat, second);
    ++second;
  }
  const TimePoint now = bellows::test::StatDiary::at(second - 1);
  const auto stable = windows.average(metrics::Window::kStable, now);
  const auto panic = windows.average(metrics::Window::kPanic, now);
  Observation seen;
  seen.stable = {stable.total, stable.per_pod, stable.covered_seconds};
  seen.panic = {panic.total, panic.per_pod, panic.covered_seconds};
  seen.in_window = stable.pods_in_window;
  seen.observed = seen.ready = seen.requested = stable.pods;
  return seen;
}

RC_GTEST_PROP(DeciderAlways, DoesNotCareInWhichOrderReplicasReport, ()) {
  const ScalingSpec spec = any_spec({"bellows", "seed"});
  std::vector<std::vector<metrics::Stat>> stats(static_cast<std::size_t>(*rc::gen::inRange(1, 20)));
  const int pods = *rc::gen::inRange(1, 8);
  for (std::size_t second = 0; second < stats.size(); ++second) {
    for (int pod = 0; pod < pods; ++pod) {
      stats[second].push_back(bellows::test::StatDiary::stat(
          "web-" + std::to_string(pod), static_cast<std::int64_t>(second), any_load()));
    }
  }
  const Decision decision = decide(spec, observed(stats), {}, at(0));
  for (auto& of_a_second : stats) {
    const auto turn = *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(of_a_second));
    std::rotate(of_a_second.begin(), of_a_second.begin() + turn, of_a_second.end());
  }
  const Decision again = decide(spec, observed(stats), {}, at(0));
  RC_ASSERT(again.replicas == decision.replicas);
  RC_ASSERT(again.mode == decision.mode);
}

}  // namespace
}  // namespace bellows::autoscaler::test
