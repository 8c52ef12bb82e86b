// What holds whatever comes.
#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/autoscaler/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

double any_load() {
  return *rc::gen::map(rc::gen::inRange(0, 200'000),
                       [](int hundredths) { return hundredths / 100.0; });
}

ScalingSpec any_spec() {
  ScalingSpec spec = spec_with_target(*rc::gen::inRange(1, 2000) / 20.0);
  spec.max_scale_up_rate = *rc::gen::inRange(11, 200) / 10.0;
  spec.min_scale = *rc::gen::inRange(0, 5);
  spec.max_scale = *rc::gen::element(0, 5, 8, 100);
  spec.enable_scale_to_zero = *rc::gen::arbitrary<bool>();
  return spec;
}

Observation any_observation() {
  Observation seen;
  seen.stable = {.total = any_load(), .per_pod = 0, .covered_seconds = *rc::gen::inRange(0, 61)};
  seen.panic = {.total = any_load(), .per_pod = 0, .covered_seconds = *rc::gen::inRange(0, 7)};
  seen.ready = *rc::gen::inRange(0, 60);
  seen.silent = *rc::gen::inRange(0, seen.ready + 1);
  seen.observed = seen.ready - seen.silent;
  seen.starting = *rc::gen::inRange(0, 60);
  seen.requested = *rc::gen::inRange(0, 100);
  seen.waiting = *rc::gen::element<std::uint64_t>(0, 0, 1, 500);
  return seen;
}

/// A story of decisions two seconds apart, each with what came before it in mind.
std::vector<Decision> any_story(const ScalingSpec& spec) {
  std::vector<Decision> story;
  DeciderState state = begin(any_observation(), at(0));
  const int length = *rc::gen::inRange(1, 60);
  for (int i = 0; i < length; ++i) {
    story.push_back(decide(spec, any_observation(), state, at(2 * i)));
    state = story.back().after;
  }
  return story;
}

RC_GTEST_PROP(DeciderAlways, StaysWithinItsBounds, ()) {
  const ScalingSpec spec = any_spec();
  for (const Decision& decision : any_story(spec)) {
    RC_ASSERT(decision.want >= spec.min_scale);
    RC_ASSERT(decision.want >= (spec.enable_scale_to_zero ? 0 : 1));
    if (spec.max_scale > 0) RC_ASSERT(decision.want <= spec.max_scale);
  }
}

RC_GTEST_PROP(DeciderAlways, NeverGoesDownInPanic, ()) {
  const std::vector<Decision> story = any_story(any_spec());
  for (std::size_t i = 1; i < story.size(); ++i) {
    const bool is_one_panic = story[i - 1].mode == Mode::kPanic && story[i].mode == Mode::kPanic;
    if (is_one_panic) RC_ASSERT(story[i].want >= story[i - 1].want);
  }
}

RC_GTEST_PROP(DeciderAlways, MoreLoadNeverGetsFewerReplicas, ()) {
  const ScalingSpec spec = any_spec();
  const DeciderState state = any_story(spec).back().after;
  const Observation less = any_observation();
  Observation more = less;
  more.stable.total += any_load();
  more.panic.total += any_load();
  more.waiting += *rc::gen::inRange<std::uint64_t>(0, 100);
  RC_ASSERT(decide(spec, more, state, at(200)).want >= decide(spec, less, state, at(200)).want);
}

RC_GTEST_PROP(DeciderAlways, TellsFiniteNumbers, ()) {
  for (const Decision& decision : any_story(any_spec())) {
    RC_ASSERT(std::isfinite(decision.panic_ratio));
    RC_ASSERT(std::isfinite(decision.burst_capacity));
    RC_ASSERT(decision.want >= 0);
  }
}

RC_GTEST_PROP(DeciderAlways, GrowsNoFasterThanTheUpRate, ()) {
  ScalingSpec spec = any_spec();
  spec.min_scale = 0;
  const Observation seen = any_observation();
  const Decision decision = decide(spec, seen, {}, at(0));
  const double most = std::ceil(spec.max_scale_up_rate * std::max<PodCount>(1, seen.observed));
  RC_ASSERT(decision.want <= std::max<double>(most, seen.requested));
}

RC_GTEST_PROP(DeciderAlways, IsTheSameForEightTimesTheLoadAndTarget, ()) {
  ScalingSpec spec = any_spec();
  Observation seen = any_observation();
  seen.waiting = 0;
  const PodCount want = decide(spec, seen, {}, at(0)).want;
  spec.target *= 8;  // a power of two: exact
  seen.stable.total *= 8;
  seen.panic.total *= 8;
  RC_ASSERT(decide(spec, seen, {}, at(0)).want == want);
}

RC_GTEST_PROP(DeciderAlways, ReplaysAStoryFromTheStateInItsMiddle, ()) {
  const std::vector<Decision> story = any_story(any_spec());
  DeciderState state = story[story.size() / 2].after;
  for (std::size_t i = story.size() / 2 + 1; i < story.size(); ++i) {
    const Decision again = decide(story[i].spec, story[i].seen, state, story[i].at);
    RC_ASSERT(again == story[i]);
    state = again.after;
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
