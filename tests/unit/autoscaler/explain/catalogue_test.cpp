// One row per rule: a scene in which it decides, and what `bellows explain` tells of it.
#include "autoscaler/explain/catalogue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/autoscaler/explain/clock_text.hpp"
#include "tests/unit/autoscaler/explain/rule_scene.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

using autoscaler::test::active_since;
using autoscaler::test::at;
using autoscaler::test::load;
using autoscaler::test::panicking_since;
using autoscaler::test::seconds;

struct Row {
  Rule rule;
  std::function<void(Scene&)> change;
  std::string why;
  std::string next;
};

/// Rules that ask for replicas.
std::vector<Row> asking() {
  return {
      {Rule::kTarget, [](Scene&) {},
       "Over the last 1m it had 31.2 requests in flight on average, the target is 7 per replica, "
       "which takes 5",
       "Panic mode starts at 2 times the target per replica; the load is at 0.6"},
      {Rule::kTarget, [](Scene& scene) { scene.seen = load(400, 400, 46); },
       "Over the last 1m it had 400 requests in flight on average, with headroom for 55.6 more, at "
       "10 per replica, which takes 46",
       "Panic mode starts at 2 times the target per replica; the load is at 1.26"},
      {Rule::kEarlyScaleUp,
       [](Scene& scene) {
         scene.seen = load(96, 101, 12);
         scene.seen.newest = 130;
         scene.state.service_seconds = 0.5;
       },
       "The newest second had 130 requests in flight, the last 6s had 101 and the last 1m had 96; "
       "what is certain of the rise, or outlasts a start, counts, which takes 15 (the last 1m "
       "alone "
       "would take 13)",
       "Panic mode starts at 2 times the target per replica; the load is at 1.25"},
  };
}

/// More that asks for replicas: panic, usage, those who wait.
std::vector<Row> asking_for_more() {
  return {
      {Rule::kPanicTarget, [](Scene& scene) { scene.seen = load(14, 60, 2); },
       "Over the last 6s it had 60 requests in flight on average, with headroom for 21.5 more, at "
       "10 per replica, which takes 9; it is in panic mode, so the short window counts (the last "
       "1m alone would take 2)",
       "Nothing scales down before 14:01:00, or later if the load rises like that again"},
      {Rule::kUsage,
       [](Scene& scene) {
         scene.spec.cpu_target = 0.5;
         scene.seen.cpu = 0.75;
       },
       "The replicas use 75 % of the CPU they request, the target is 50 %, which takes 8; their "
       "requests alone would take 5",
       ""},
      {Rule::kUsage,
       [](Scene& scene) {
         scene.spec.memory_target = 0.8;
         scene.seen.memory = 1.6;
       },
       "The replicas use 160 % of the memory they request, the target is 80 %, which takes 10; "
       "their requests alone would take 5",
       ""},
      {Rule::kWaiting,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.seen.waiting = 20;
         scene.seen.start_time = std::chrono::milliseconds(1250);
       },
       "20 requests wait and no replica is ready; the target is 7 per replica, which takes 3",
       "A replica takes 1.25s to start"},
      {Rule::kWaiting,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.seen.waiting = 50;
         scene.spec.rules.first_replicas = config::FirstReplicas::kOne;
       },
       "50 requests wait and no replica is ready; one starts however many wait (first-replicas "
       "one), which takes 1",
       ""},
      {Rule::kWaiting,
       [](Scene& scene) {
         scene.seen = load(0, 0, 1);
         scene.seen.waiting = 3;
       },
       "3 requests wait while 1 replica serves, and one must stay for that, which takes 1", ""},
  };
}

/// Whatever is not known.
std::vector<Row> unknown() {
  return {
      {Rule::kNoData,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.seen.stable.covered_seconds = 59;
         scene.seen.panic.covered_seconds = 4;
       },
       "Only 4s of the last 6s are known, so nothing scales down",
       "That lasts until the last 6s are known"},
      {Rule::kNoData,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.stable.covered_seconds = 53;
         scene.seen.panic.covered_seconds = 4;
       },
       "Only 53s of the last 1m are known, so nothing scales down",
       "That lasts until nine tenths of the last 1m are known"},
      {Rule::kNoData,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.seen.stable.covered_seconds = 23;
         scene.state.fresh = FreshStart{.since = at(-4), .known_back_to = at(-60)};
       },
       "The autoscaler started 4s ago and knows only 23s of the last 1m, so nothing scales down",
       "That ends as soon as enough is known, at the latest at 14:00:56"},
      {Rule::kNoData,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.spec.rules.no_data = config::NoData::kNoDecision;
         scene.seen.stable.covered_seconds = 0;
       },
       "Only 0s of the last 1m are known, so nothing scales down",
       "That lasts until a load is known again"},
      {Rule::kNoData,
       [](Scene& scene) {
         is_at_zero(scene, seconds(0), {});
         scene.seen.panic.covered_seconds = 0;
         scene.seen.starting = scene.seen.requested = 2;
       },
       "No replica has reported yet, so the load is unknown and the starting replicas stay",
       "That lasts until they report, at the latest until 14:10:00"},
      {Rule::kNoData,
       [](Scene& scene) {
         scene.seen = load(14, 14, 2);
         scene.seen.not_reporting = 2;
         scene.seen.ready = scene.seen.requested = 4;
       },
       "2 replicas of 4 ready ones did not report, so their load is unknown and they stay",
       "That lasts until they report, at the latest until 14:10:00"},
  };
}

/// Rules that hold the number up or down.
std::vector<Row> limiting() {
  return {
      {Rule::kDownRate, [](Scene& scene) { scene.seen = load(10, 10, 9); },
       "Over the last 1m it had 10 requests in flight on average, the target is 7 per replica, "
       "which would take 2 replicas, but max-scale-down-rate 2 allows no fewer than 4 at a time",
       "The next decision, 2s later, may go further"},
      {Rule::kUpRate, [](Scene& scene) { scene.seen = load(600, 600, 5); },
       "Over the last 1m it had 600 requests in flight on average, with headroom for 68.1 more, at "
       "10 per replica, which would take 67 replicas, but max-scale-up-rate 10 allows no more than "
       "50 at a time with 5 replicas ready",
       "The next decision, 2s later, may go further"},
      {Rule::kActivationScale, [](Scene& scene) { scene.spec.activation_scale = 8; },
       "Over the last 1m it had 31.2 requests in flight on average, the target is 7 per replica, "
       "which would take 5 replicas, but activation-scale is 8",
       ""},
      {Rule::kNoData,
       [](Scene& scene) {
         scene.seen = load(10, 10, 5);
         scene.seen.stable.covered_seconds = 23;
         scene.state.fresh = FreshStart{.since = at(-4), .known_back_to = at(-60)};
       },
       "The autoscaler started 4s ago and knows only 23s of the last 1m, so nothing scales down",
       "That ends as soon as enough is known, at the latest at 14:00:56"},
  };
}

/// Rules that remember.
std::vector<Row> holding() {
  return {
      {Rule::kPanicHold,
       [](Scene& scene) {
         scene.seen = load(30, 12, 20);
         scene.state.panic = Panic{.since = at(-20), .last_over = at(-20)};
         scene.state.panic_max = 20;
       },
       "Over the last 1m it had 30 requests in flight on average, the target is 7 per replica, "
       "which would take 5 replicas, but since 13:59:40 it is in panic mode, in which nothing "
       "scales down",
       "Panic mode ends at 14:00:40, or later if the load rises like that again"},
      {Rule::kDelay,
       [](Scene& scene) {
         scene.spec.scale_down_delay = seconds(300);
         scene.state.delay.record(at(-60), 8, seconds(300));
       },
       "Over the last 1m it had 31.2 requests in flight on average, the target is 7 per replica, "
       "which would take 5 replicas, but 8 were needed within the last 5m (scale-down-delay)",
       "It scales down once no more was needed for that long"},
  };
}

/// Rules of the user.
std::vector<Row> bounding() {
  return {
      {Rule::kInitialScale,
       [](Scene& scene) {
         scene.spec.initial_scale = 3;
         scene.seen = load(0, 0, 1);
         scene.state.is_initialised = false;
       },
       "Its first 3 replicas have not been ready yet (initial-scale)", ""},
      {Rule::kMinScale,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.spec.min_scale = 2;
       },
       "No request for 10m, so no replica is needed, but min-scale is 2", ""},
      {Rule::kMinScale,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.spec.enable_scale_to_zero = false;
       },
       "No request for 10m, so no replica is needed, but scale-to-zero is off", ""},
      {Rule::kMinScale,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.spec.min_scale = 2;
         scene.seen.problem = Problem::kNoMetrics;
       },
       "The load could not be measured, but min-scale is 2", ""},
      {Rule::kMaxScale, [](Scene& scene) { scene.spec.max_scale = 4; },
       "Over the last 1m it had 31.2 requests in flight on average, the target is 7 per replica, "
       "which would take 5 replicas, but max-scale is 4",
       "More load changes nothing until max-scale is raised"},
      {Rule::kMaxScale,
       [](Scene& scene) {
         scene.spec.max_scale = 6;
         scene.state.panic = Panic{.since = at(-20), .last_over = at(-20)};
         scene.state.panic_max = 9;
       },
       "Over the last 1m it had 31.2 requests in flight on average, the target is 7 per replica, "
       "which would take 5 replicas, but panic mode keeps it at 9, and max-scale is 6",
       "More load changes nothing until max-scale is raised"},
  };
}

/// Rules of the user, and what they took the number from.
std::vector<Row> bounding_what_was_held() {
  return {
      {Rule::kMaxScale,
       [](Scene& scene) {
         scene.spec.max_scale = 6;
         scene.spec.scale_down_delay = seconds(300);
         scene.state.panic = Panic{.since = at(-20), .last_over = at(-20)};
         scene.state.panic_max = 9;
         scene.state.delay.record(at(-60), 24, seconds(300));
       },
       "Over the last 1m it had 31.2 requests in flight on average, the target is 7 per replica, "
       "which would take 5 replicas, but scale-down-delay 5m keeps it at 24, and max-scale is 6",
       "More load changes nothing until max-scale is raised"},
      {Rule::kMaxScale,
       [](Scene& scene) {
         scene.spec.max_scale = 5;
         scene.state.replicas = 12;
         scene.seen.problem = Problem::kNoMetrics;
       },
       "The load could not be measured, but the last decision keeps it at 12, and max-scale is 5",
       "More load changes nothing until max-scale is raised"},
      {Rule::kMinScale,
       [](Scene& scene) {
         scene.seen = load(600, 60, 5);
         scene.spec.min_scale = 60;
       },
       "Over the last 1m it had 600 requests in flight on average, with headroom for 68.1 more, at "
       "10 per replica, which would take 67 replicas, but max-scale-up-rate 10 allows no more than "
       "50 at a time with 5 replicas ready, and min-scale is 60",
       "Panic mode starts at 2 times the target per replica; the load is at 1.8"},
      {Rule::kActivationScale,
       [](Scene& scene) {
         scene.seen = load(600, 60, 5);
         scene.spec.activation_scale = 60;
       },
       "Over the last 1m it had 600 requests in flight on average, with headroom for 68.1 more, at "
       "10 per replica, which would take 67 replicas, but max-scale-up-rate 10 allows no more than "
       "50 at a time with 5 replicas ready, and activation-scale is 60",
       ""},
  };
}

/// Rules of the way to zero.
std::vector<Row> ending() {
  return {
      {Rule::kToZero,
       [](Scene& scene) {
         nobody_calls(scene, seconds(310), {});
         scene.spec.rules.keep_alive = config::KeepAlive::kConstant;
       },
       "No request for 5m10s, longer than idle-clock 5m", "The next request starts one"},
      {Rule::kLastReplica,
       [](Scene& scene) {
         nobody_calls(scene, seconds(20), {8, 12, 30, 45, 7});
       },
       "No request for 20s and no rhythm shows in its last 5 idle times (7s to 45s, half of them "
       "at most 12s), so the last replica stays for a window (1m)",
       "Without a request it is removed at 14:00:42"},
      {Rule::kExpected,
       [](Scene& scene) {
         is_at_zero(scene, seconds(296), {300, 300, 301, 300});
       },
       "No request for 4m56s, but by its last 4 idle times (5m to 5m1s, half of them at most 5m) "
       "the next one is likely soon, so one replica starts ahead",
       "Without a request it is removed at 14:00:08"},
      {Rule::kLastReplica, [](Scene& scene) { nobody_calls(scene, seconds(20), {}); },
       "No request for 20s and no idle time is known to predict the next, so the last replica "
       "stays for a window (1m)",
       "Without a request it is removed at 14:00:42"},
      {Rule::kLastReplica,
       [](Scene& scene) {
         nobody_calls(scene, seconds(20), {});
         scene.spec.min_scale = 1;
       },
       "No request for 20s, so no replica is needed, but min-scale is 1", ""},
      {Rule::kLastReplica,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.state.activity = {Serving::kActive, at(-30)};
       },
       "No request for 1m10s, so no replica is needed, but the last one is kept a while longer",
       "Without a request it is removed at 14:01:00"},
  };
}

/// The way to zero as Knative goes it, and its end.
std::vector<Row> ending_like_knative() {
  return {
      {Rule::kLastReplica,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.ready = 0;
         scene.seen.starting = 1;
         scene.state.activity = {Serving::kActivating, at(-10)};
       },
       "No request waits any more, but the first replica is still starting",
       "It is removed if it is not ready by 14:01:20 (progress-deadline 1m plus 30s)"},
      {Rule::kGrace,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.does_activator_answer = false;
       },
       "No request for 1m10s, but the activator is not confirmed in the path yet, so the last "
       "replica stays (`bellows status` shows the cause)",
       ""},
      {Rule::kGrace,
       [](Scene& scene) {
         nobody_calls(scene, seconds(70), {});
         scene.spec.pod_retention = seconds(300);
       },
       "No request for 1m10s, but the last replica stays for scale-to-zero-pod-retention-period 5m",
       "Without a request it is removed at 14:04:50"},
      {Rule::kGrace, [](Scene& scene) { goes_like_knative(scene); },
       "No request for 1m10s, but the last replica stays for scale-to-zero-grace-period 30s",
       "Without a request it is removed at 14:00:20"},
      {Rule::kToZero,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.state.activity.since = at(-30);
       },
       "No request for 1m10s, and the time that the last replica stays is over",
       "The next request starts one"},
      {Rule::kToZero,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.ready = 0;
         scene.seen.starting = 1;
         scene.state.activity = {Serving::kActivating, at(-91)};
       },
       "No request waits any more, and the first replica was not ready within progress-deadline 1m "
       "plus 30s",
       "The next request starts one"},
      {Rule::kToZero,
       [](Scene& scene) {
         nobody_calls(scene, seconds(30), {300, 300, 301, 300});
       },
       "No request for 30s, and by its last 4 idle times (5m to 5m1s, half of them at most 5m) "
       "none is likely soon enough to keep a replica",
       "The next request starts one, and at 14:04:26 one starts ahead of it"},
      {Rule::kAtZero, [](Scene& scene) { is_at_zero(scene, seconds(600), {}); },
       "No request for 10m", "The next request starts one"},
  };
}

std::vector<Row> ordered_by_the_user() {
  return {
      {Rule::kPaused,
       [](Scene& scene) {
         scene.seen.is_paused = true;
         scene.seen.requested = 3;
       },
       "It is paused, so the number of replicas stays as it is; the known load would take 5",
       "Its load decides again once it is resumed"},
      {Rule::kPaused,
       [](Scene& scene) {
         scene.seen.is_paused = true;
         scene.seen.problem = Problem::kNoMetrics;
       },
       "It is paused, so the number of replicas stays as it is",
       "Its load decides again once it is resumed"},
      {Rule::kRetired, [](Scene& scene) { scene.seen.is_retired = true; },
       "It is retired and serves no requests any more", ""},
  };
}

std::vector<Row> all_rows() {
  std::vector<Row> rows = asking();
  for (const auto& more :
       {asking_for_more(), unknown(), limiting(), holding(), bounding(), bounding_what_was_held(),
        ending(), ending_like_knative(), ordered_by_the_user()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

TEST(Catalogue, ShowWhyAndWhatIsNextWithTheNumbers) {
  for (const Row& row : all_rows()) {
    Scene scene;
    row.change(scene);
    const Decision decision = decide(scene.spec, scene.seen, scene.state, at(0));
    EXPECT_EQ(to_string(decision.rule), to_string(row.rule)) << row.why;
    const ClockText clock = clock_text;
    const Subject subject{decision, scene.state.idle_times, clock};
    EXPECT_EQ(why(subject), row.why);
    EXPECT_EQ(next(subject), row.next);
  }
}

TEST(Catalogue, OfEveryRuleAreInTheTable) {
  // Those of policies are in policy/policies_test.cpp, those of the machine in a test of their own.
  std::set<std::string_view> covered = {to_string(Rule::kPolicy), to_string(Rule::kOccupied),
                                        to_string(Rule::kMachineRoom)};
  for (const Row& row : all_rows()) covered.insert(to_string(row.rule));
  for (std::size_t rule = 0; rule < kRules; ++rule) {
    EXPECT_TRUE(covered.contains(to_string(static_cast<Rule>(rule))))
        << "no row for rule " << to_string(static_cast<Rule>(rule));
  }
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
