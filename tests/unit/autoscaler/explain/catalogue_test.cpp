// One row per rule: a scene in which it decides, its reason with the details of `bellows explain`,
// and what is next. Combinations of rules are in reason_text_test.cpp.
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
       "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5",
       "Panic mode starts at 2 times the target per replica; the load is at 0.6"},
      {Rule::kTarget, [](Scene& scene) { scene.seen = load(400, 400, 46); },
       "400 requests in flight over 1m + 55.6 headroom: 456 / 10, rounded up: 46",
       "Panic mode starts at 2 times the target per replica; the load is at 1.26"},
      {Rule::kEarlyScaleUp,
       [](Scene& scene) {
         scene.seen = load(96, 101, 12);
         scene.seen.newest = 130;
         scene.state.service_seconds = 0.5;
       },
       "96 requests in flight over 1m + 27.2 headroom: 123 / 10, rounded up: 13; 130 in the newest "
       "second are more than chance: 15",
       "Panic mode starts at 2 times the target per replica; the load is at 1.25"},
      {Rule::kEarlyScaleUp,
       [](Scene& scene) {
         scene.seen = load(96, 125, 12);
         scene.seen.newest = 100;
         scene.state.service_seconds = 0.5;
       },
       "96 requests in flight over 1m + 27.2 headroom: 123 / 10, rounded up: 13; 125 over 6s are "
       "more than chance: 15",
       "Panic mode starts at 2 times the target per replica; the load is at 1.5"},
      {Rule::kEarlyScaleUp,
       [](Scene& scene) {
         scene.seen = load(10, 12, 2);
         scene.seen.newest = 24;
         scene.seen.start_time = seconds(2);
         scene.state.service_seconds = 400;
       },
       "10 requests in flight over 1m + 4.29 headroom: 14.3 / 10, rounded up: 2; the rise to 24 in "
       "the newest second outlasts a start: 3",
       "Panic mode starts at 2 times the target per replica; the load is at 1"},
  };
}

/// More that asks for replicas: panic, usage, those who wait.
std::vector<Row> asking_for_more() {
  return {
      {Rule::kPanicTarget, [](Scene& scene) { scene.seen = load(14, 60, 2); },
       "60 requests in flight over 6s + 21.5 headroom: 81.5 / 10, rounded up: 9; the load of the "
       "last 1m alone would take 2",
       "Nothing scales down before 14:01:00, or later if the load rises like that again"},
      {Rule::kUsage,
       [](Scene& scene) {
         scene.spec.cpu_target = 0.5;
         scene.seen.cpu = 0.75;
       },
       "75 % of the CPU request used, target 50 %: 8; the load of the last 1m alone would take 5",
       ""},
      {Rule::kUsage,
       [](Scene& scene) {
         scene.spec.memory_target = 0.8;
         scene.seen.memory = 1.6;
       },
       "160 % of the memory request used, target 80 %: 10; the load of the last 1m alone would "
       "take 5",
       ""},
      {Rule::kWaiting,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.seen.waiting = 20;
         scene.seen.start_time = std::chrono::milliseconds(1250);
       },
       "20 requests waiting, no ready replica: 20 / 7, rounded up: 3",
       "A replica takes 1.25s to start"},
      {Rule::kWaiting,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.seen.waiting = 50;
         scene.spec.rules.first_replicas = config::FirstReplicas::kOne;
       },
       "50 requests waiting, no ready replica: one starts (first-replicas one)", ""},
      {Rule::kWaiting,
       [](Scene& scene) {
         scene.seen = load(0, 0, 1);
         scene.seen.waiting = 3;
       },
       "3 requests waiting, 1 replica serving: one stays for them", ""},
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
       "only 4s of the last 6s are known: held", "That lasts until the last 6s are known"},
      {Rule::kNoData,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.stable.covered_seconds = 53;
         scene.seen.panic.covered_seconds = 4;
       },
       "only 53s of the last 1m are known: held",
       "That lasts until nine tenths of the last 1m are known"},
      {Rule::kNoData,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.seen.stable.covered_seconds = 23;
         scene.state.fresh = FreshStart{.since = at(-4), .known_back_to = at(-60)};
       },
       "the revision, or the autoscaler, started 4s ago, and only 23s of the last 1m are known: "
       "held",
       "That ends as soon as enough is known, at the latest at 14:00:56"},
      {Rule::kNoData,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.spec.rules.no_data = config::NoData::kNoDecision;
         scene.seen.stable.covered_seconds = 0;
       },
       "only 0s of the last 1m are known: held", "That lasts until a load is known again"},
      {Rule::kNoData,
       [](Scene& scene) {
         is_at_zero(scene, seconds(0), {});
         scene.seen.panic.covered_seconds = 0;
         scene.seen.starting = scene.seen.requested = 2;
       },
       "no replica has reported yet, so the load is unknown: held",
       "That lasts until they report, at the latest until 14:10:00"},
      {Rule::kNoData,
       [](Scene& scene) {
         scene.seen = load(14, 14, 2);
         scene.seen.not_reporting = 2;
         scene.seen.ready = scene.seen.requested = 4;
       },
       "2 replicas of 4 ready ones did not report, so their load is unknown: held",
       "That lasts until they report, at the latest until 14:10:00"},
  };
}

/// Rules that hold the number up or down.
std::vector<Row> limiting() {
  return {
      {Rule::kDownRate, [](Scene& scene) { scene.seen = load(10, 10, 9); },
       "10 requests in flight over 1m + 4.29 headroom: 14.3 / 10, rounded up: 2; limited to 4 by "
       "max-scale-down-rate 2",
       "The next decision, 2s later, may go further"},
      {Rule::kUpRate, [](Scene& scene) { scene.seen = load(600, 600, 5); },
       "600 requests in flight over 1m + 68.1 headroom: 668 / 10, rounded up: 67; limited to 50 by "
       "max-scale-up-rate 10 with 5 replicas ready",
       "The next decision, 2s later, may go further"},
      {Rule::kActivationScale, [](Scene& scene) { scene.spec.activation_scale = 8; },
       "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5; raised to 8 by "
       "activation-scale",
       ""},
      {Rule::kNoData,
       [](Scene& scene) {
         scene.seen = load(10, 10, 5);
         scene.seen.stable.covered_seconds = 23;
         scene.state.fresh = FreshStart{.since = at(-4), .known_back_to = at(-60)};
       },
       "the revision, or the autoscaler, started 4s ago, and only 23s of the last 1m are known: "
       "held",
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
       "30 requests in flight over 1m + 12.9 headroom: 42.9 / 10, rounded up: 5; kept at 20 by "
       "panic mode since 13:59:40",
       "Panic mode ends at 14:00:40, or later if the load rises like that again"},
      {Rule::kDelay,
       [](Scene& scene) {
         scene.spec.scale_down_delay = seconds(300);
         scene.state.delay.record(at(-60), 8, seconds(300));
       },
       "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5; kept at 8 by "
       "scale-down-delay 5m",
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
       "raised to 3 by initial-scale, which was not reached yet", ""},
      {Rule::kMinScale,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.spec.min_scale = 2;
       },
       "0 requests in flight over 1m: 0 / 7 = 0; raised to 2 by min-scale", ""},
      {Rule::kMinScale,
       [](Scene& scene) {
         nobody_calls(scene, seconds(600), {});
         scene.spec.enable_scale_to_zero = false;
       },
       "0 requests in flight over 1m: 0 / 7 = 0; raised to 1 because scale-to-zero is off", ""},
      {Rule::kMinScale,
       [](Scene& scene) {
         is_at_zero(scene, seconds(600), {});
         scene.spec.min_scale = 2;
         scene.seen.problem = Problem::kNoMetrics;
       },
       "the load could not be measured; raised to 2 by min-scale", ""},
      {Rule::kMaxScale, [](Scene& scene) { scene.spec.max_scale = 4; },
       "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5; limited to 4 by "
       "max-scale",
       "More load changes nothing until max-scale is raised"},
      {Rule::kMaxScale,
       [](Scene& scene) {
         scene.spec.max_scale = 6;
         scene.state.panic = Panic{.since = at(-20), .last_over = at(-20)};
         scene.state.panic_max = 9;
       },
       "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5; kept at 9 by "
       "panic mode; limited to 6 by max-scale",
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
       "31.2 requests in flight over 1m + 13.4 headroom: 44.6 / 10, rounded up: 5; kept at 24 by "
       "scale-down-delay 5m; limited to 6 by max-scale",
       "More load changes nothing until max-scale is raised"},
      {Rule::kMaxScale,
       [](Scene& scene) {
         scene.spec.max_scale = 5;
         scene.state.replicas = 12;
         scene.seen.problem = Problem::kNoMetrics;
       },
       "the load could not be measured; kept at 12; limited to 5 by max-scale",
       "More load changes nothing until max-scale is raised"},
      {Rule::kMinScale,
       [](Scene& scene) {
         scene.seen = load(600, 60, 5);
         scene.spec.min_scale = 60;
       },
       "600 requests in flight over 1m + 68.1 headroom: 668 / 10, rounded up: 67; limited to 50 by "
       "max-scale-up-rate 10 with 5 replicas ready; raised to 60 by min-scale",
       "Panic mode starts at 2 times the target per replica; the load is at 1.8"},
      {Rule::kActivationScale,
       [](Scene& scene) {
         scene.seen = load(600, 60, 5);
         scene.spec.activation_scale = 60;
       },
       "600 requests in flight over 1m + 68.1 headroom: 668 / 10, rounded up: 67; limited to 50 by "
       "max-scale-up-rate 10 with 5 replicas ready; raised to 60 by activation-scale",
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
       "no request for 5m10s, longer than idle-clock 5m", "The next request starts one"},
      {Rule::kLastReplica,
       [](Scene& scene) {
         nobody_calls(scene, seconds(20), {8, 12, 30, 45, 7});
       },
       "no request for 20.0s, the last replica is kept a while longer (its last 5 idle times: 7s "
       "to 45s, half of them at most 12s)",
       "Without a request it is removed at 14:00:42"},
      {Rule::kExpected,
       [](Scene& scene) {
         is_at_zero(scene, seconds(296), {300, 300, 301, 300});
       },
       "no request for 4m56s, the idle times so far make a request soon likely (its last 4 idle "
       "times: 5m to 5m1s, half of them at most 5m)",
       "Without a request it is removed at 14:00:08"},
      {Rule::kLastReplica, [](Scene& scene) { nobody_calls(scene, seconds(20), {}); },
       "no request for 20.0s, the last replica is kept a while longer",
       "Without a request it is removed at 14:00:42"},
      {Rule::kLastReplica,
       [](Scene& scene) {
         nobody_calls(scene, seconds(20), {});
         scene.spec.min_scale = 1;
       },
       "no request for 20.0s, but min-scale is 1", ""},
      {Rule::kLastReplica,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.state.activity = {Serving::kActive, at(-30)};
       },
       "no request for 1m10s, the last replica is kept a while longer",
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
       "no request for 1m10s, but the first replica is still starting",
       "It is removed if it is not ready by 14:01:20 (progress-deadline 1m plus 30s)"},
      {Rule::kGrace,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.does_activator_answer = false;
       },
       "no request for 1m10s, but the activator is not confirmed in the path yet (`bellows status` "
       "shows the cause)",
       ""},
      {Rule::kGrace,
       [](Scene& scene) {
         nobody_calls(scene, seconds(70), {});
         scene.spec.pod_retention = seconds(300);
       },
       "no request for 1m10s, the last replica stays for idle-time 5m "
       "(scale-to-zero-pod-retention-period)",
       "Without a request it is removed at 14:04:50"},
      {Rule::kGrace, [](Scene& scene) { goes_like_knative(scene); },
       "no request for 1m10s, the last replica stays for scale-to-zero-grace-period 30s",
       "Without a request it is removed at 14:00:20"},
      {Rule::kToZero,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.state.activity.since = at(-30);
       },
       "no request for 1m10s, scale-to-zero-grace-period included", "The next request starts one"},
      {Rule::kToZero,
       [](Scene& scene) {
         goes_like_knative(scene);
         scene.seen.ready = 0;
         scene.seen.starting = 1;
         scene.state.activity = {Serving::kActivating, at(-91)};
       },
       "no request for 1m10s, the first replica was not ready within progress-deadline 1m plus 30s",
       "The next request starts one"},
      {Rule::kToZero,
       [](Scene& scene) {
         nobody_calls(scene, seconds(30), {300, 300, 301, 300});
       },
       "no request for 30.0s, a request soon is not likely enough to keep a replica (its last 4 "
       "idle times: 5m to 5m1s, half of them at most 5m)",
       "The next request starts one, and at 14:04:26 one starts ahead of it"},
      {Rule::kAtZero, [](Scene& scene) { is_at_zero(scene, seconds(600), {}); },
       "no requests for 10m", "The next request starts one"},
  };
}

std::vector<Row> ordered_by_the_user() {
  return {
      {Rule::kPaused,
       [](Scene& scene) {
         scene.seen.is_paused = true;
         scene.seen.requested = 3;
       },
       "it is paused; the known load would take 5",
       "Its load decides again after `bellows resume web`"},
      {Rule::kPaused,
       [](Scene& scene) {
         scene.seen.is_paused = true;
         scene.seen.problem = Problem::kNoMetrics;
       },
       "it is paused", "Its load decides again after `bellows resume web`"},
      {Rule::kRetired, [](Scene& scene) { scene.seen.is_retired = true; },
       "it is retired and serves no requests any more", "`bellows resume web` brings it back"},
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
    const Subject subject{decision, scene.state.idle_times, clock, "web"};
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
