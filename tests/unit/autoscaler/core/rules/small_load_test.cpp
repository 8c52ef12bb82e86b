#include "autoscaler/core/rules/small_load.hpp"

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include "autoscaler/core/journal.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

constexpr int kMinute = 60;
constexpr Duration kStep = kEvaluationPeriod;

/// Profile bellows as it is: a small load is decided as Knative does. One slot is a request.
ScalingSpec usual() {
  ScalingSpec spec = spec_of("bellows");
  spec.rules.small_load_rules = config::SmallLoadRules::kKnative;
  spec.target = 7;
  spec.total = 10;
  return spec;
}

/// A revision under a load that stays for as long as the story says.
class Service {
 public:
  explicit Service(ScalingSpec spec = usual()) : spec_(std::move(spec)) {
    state_ = begin(spec_, load(0, 0, 0), now_);
    state_.is_initialised = true;
  }

  /// The last decision of `minutes` of this load.
  Decision has(double in_flight, int minutes) {
    return has(load(in_flight, in_flight, 20), minutes);
  }
  Decision has(const Observation& seen, int minutes) {
    const TimePoint end = now_ + std::chrono::minutes(minutes);
    std::optional<Decision> last;
    while (now_ < end) {
      now_ += kStep;
      last = decide(spec_, seen, state_, now_);
      remember(state_, *last);
      changes_ += was_as_knative_ != state_.rule_choice.is_as_knative ? 1 : 0;
      was_as_knative_ = state_.rule_choice.is_as_knative;
    }
    return *last;
  }
  void sleeps(int minutes) { now_ += std::chrono::minutes(minutes); }
  void has_bursts(float index) { state_.burstiness = {.index = index, .samples = 1000}; }

  int changes() const { return changes_; }
  const DeciderState& state() const { return state_; }
  TimePoint now() const { return now_; }

 private:
  ScalingSpec spec_;
  DeciderState state_;
  TimePoint now_ = at(0);
  bool was_as_knative_ = true;
  int changes_ = 0;
};

TEST(SmallLoad, IsDecidedAsKnativeDoes) {
  const Decision decision = Service().has(5, 30);
  EXPECT_EQ(small_load(decision), SmallLoad::kSmall);
  EXPECT_EQ(decision.spec.rules.headroom, config::Headroom::kUtilization);
  EXPECT_EQ(decision.spec.rules.early_scale_up, config::EarlyScaleUp::kWindow);
  EXPECT_EQ(decision.stable_demand, 1);
}

TEST(SmallLoad, KeepsItsKeepAlive) {
  const Decision decision = Service().has(5, 30);
  EXPECT_EQ(decision.spec.rules.keep_alive, config::KeepAlive::kLearned);
  EXPECT_EQ(decision.spec.rules.no_data, config::NoData::kHold);
}

TEST(SmallLoad, OfALargeServiceIsNone) {
  // 140 in flight: 20 replicas at 70 %, 17.3 with square-root headroom.
  const Decision decision = Service().has(140, 30);
  EXPECT_EQ(small_load(decision), std::nullopt);
  EXPECT_EQ(decision.stable_demand, 18);
  EXPECT_EQ(decision.spec, usual());
}

TEST(SmallLoad, IsAssumedForTheFirstTenMinutes) {
  Service service;
  EXPECT_EQ(small_load(service.has(140, 9)), SmallLoad::kRecent);
  EXPECT_EQ(service.has(140, 2).spec.given_rules, std::nullopt);
}

TEST(SmallLoad, NearTheLimitChangesNothing) {
  Service small;
  Service large;
  small.has(14, 20);
  large.has(16, 20);
  EXPECT_TRUE(small.state().rule_choice.is_as_knative);
  EXPECT_FALSE(large.state().rule_choice.is_as_knative);
  for (int i = 0; i < 50; ++i) {
    for (const double load : {8, 14}) {
      small.has(load, 7);
      large.has(load, 7);
    }
  }
  EXPECT_EQ(small.changes(), 0);
  EXPECT_EQ(large.changes(), 1);
}

TEST(SmallLoad, ComesBackWhenTheTypicalLoadShrinks) {
  Service service;
  service.has(50, 60);
  ASSERT_FALSE(service.state().rule_choice.is_as_knative);
  // The mean of an hour falls below 6.7 when 50 weighs less than a tenth.
  EXPECT_EQ(small_load(service.has(2, 90)), std::nullopt);
  EXPECT_EQ(small_load(service.has(2, 60)), SmallLoad::kSmall);
  EXPECT_EQ(service.changes(), 2);
}

TEST(SmallLoad, IsTheOneWithRequestsAPauseIsNone) {
  Service service;
  service.has(50, 60);
  service.has(0, 600);
  service.sleeps(60);
  EXPECT_NEAR(service.state().rule_choice.typical_load, 50, 1);
  EXPECT_FALSE(service.state().rule_choice.is_as_knative);
}

TEST(SmallLoad, CountsALateDecisionLittle) {
  Service service;
  service.has(50, 60);
  const float before = service.state().rule_choice.typical_load;
  service.sleeps(600);
  service.has(load(5, 5, 10), 1);
  EXPECT_GT(service.state().rule_choice.typical_load, before - 1);
}

TEST(SmallLoad, RulesHoldForBurstsOfAnyLoad) {
  Service service;
  service.has_bursts(14);
  const Decision bursty = service.has(140, 30);
  EXPECT_EQ(small_load(bursty), SmallLoad::kBursty);
  EXPECT_EQ(bursty.replicas, 20);
  service.has_bursts(1);
  EXPECT_EQ(small_load(service.has(140, 1)), std::nullopt);
  service.has_bursts(14);
  EXPECT_EQ(small_load(service.has(140, 5)), std::nullopt) << "less than ten minutes";
  service.has_bursts(14);
  EXPECT_EQ(small_load(service.has(140, 6)), SmallLoad::kBursty);
}

TEST(SmallLoad, DoesNotMatterToWhoeverAskedForOtherRules) {
  const auto is_given_up = [](auto change) {
    ScalingSpec spec = usual();
    change(spec);
    const Decision decision = Service(spec).has(2, 5);
    return decision.spec == spec;
  };
  EXPECT_TRUE(is_given_up(
      [](ScalingSpec& spec) { spec.rules.small_load_rules = config::SmallLoadRules::kSame; }));
  EXPECT_TRUE(is_given_up([](ScalingSpec& spec) { spec.metric = config::Metric::kRps; }));
  EXPECT_TRUE(is_given_up(
      [](ScalingSpec& spec) { spec.rules.observed_load = config::ObservedLoad::kMeanPerPod; }));
  EXPECT_FALSE(is_given_up([](ScalingSpec&) {}));
}

TEST(SmallLoad, IsChosenAgainFromAnEarlierChoice) {
  RuleChoice as_knative;
  RuleChoice own;
  own.is_as_knative = false;
  const ScalingSpec given = usual();
  const ScalingSpec chosen = with_chosen_rules(given, as_knative);
  EXPECT_NE(chosen, given);
  EXPECT_EQ(with_chosen_rules(chosen, as_knative), chosen);
  EXPECT_EQ(with_chosen_rules(chosen, own), given);
  EXPECT_EQ(missing_seconds(chosen, as_knative), config::MissingSeconds::kZero);
  EXPECT_EQ(missing_seconds(chosen, own), config::MissingSeconds::kUnknown);
}

TEST(SmallLoad, OfANewRevisionIsThatOfItsPredecessor) {
  Service earlier;
  earlier.has(50, 60);
  const DeciderState state = begin_after(earlier.state(), usual(), load(0, 0, 0), earlier.now());
  EXPECT_FALSE(state.rule_choice.is_as_knative);
  EXPECT_FLOAT_EQ(state.rule_choice.typical_load, earlier.state().rule_choice.typical_load);
  // A canary with one request in flight finds out within minutes.
  Story canary(state);
  for (int second = 2; second <= 10 * kMinute; second += 2) {
    canary.decide(usual(), load(1, 1, 1), earlier.now() + seconds(second));
  }
  EXPECT_TRUE(canary.state().rule_choice.is_as_knative);
}

TEST(SmallLoad, DecisionsCanBeReplayedAcrossAChange) {
  Journal journal;
  const ScalingSpec spec = usual();
  DeciderState state = begin(spec, load(0, 0, 0), at(0));
  state.is_initialised = true;
  std::vector<Decision> made;
  for (int second = 590; second <= 620; second += 2) {
    if (made.empty()) journal.start_from(state);
    made.push_back(decide(spec, load(140, 140, 10), state, at(second)));
    remember(state, made.back());
    journal.add(made.back(), nullptr);
  }
  ASSERT_TRUE(made.front().after.rule_choice.is_as_knative);
  ASSERT_FALSE(made.back().after.rule_choice.is_as_knative);
  const std::vector<JournalEntry> entries = journal.entries();
  ASSERT_EQ(entries.size(), made.size());
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(entries[i].decision, made[i]);
}

/// Knative's profile with what a small load keeps of ours.
ScalingSpec knative_with_our_keep_alive() {
  ScalingSpec spec = spec_of("knative");
  const ScalingSpec ours = spec_of("bellows");
  spec.rules.keep_alive = ours.rules.keep_alive;
  spec.rules.no_data = ours.rules.no_data;
  spec.rules.grace_from = ours.rules.grace_from;
  spec.rules.after_restart = ours.rules.after_restart;
  spec.max_scale_up_rate = ours.max_scale_up_rate;
  spec.rules.count_starting = ours.rules.count_starting;
  spec.rules.rounding_tolerance = ours.rules.rounding_tolerance;
  spec.progress_deadline = ours.progress_deadline;
  return spec;
}

RC_GTEST_PROP(SmallLoad, HasKnativesNumberWhateverComes, ()) {
  const ScalingSpec ours = [] {
    ScalingSpec spec = spec_of("bellows");
    spec.rules.small_load_rules = config::SmallLoadRules::kKnative;
    return spec;
  }();
  const ScalingSpec knative = knative_with_our_keep_alive();
  Story one;
  Story other;
  TimePoint now = at(0);
  for (int i = 0; i < 40; ++i) {
    now += kStep;
    const double stable = *rc::gen::inRange(0, 90) / 10.0;
    Observation seen = load(stable, *rc::gen::inRange(0, 300) / 10.0, *rc::gen::inRange(0, 12));
    seen.starting = *rc::gen::inRange(0, 3);
    seen.start_time = seconds(*rc::gen::inRange(0, 20));
    seen.newest = *rc::gen::inRange(0, 300) / 10.0;
    seen.waiting = *rc::gen::element<std::uint64_t>(0, 0, 3, 40);
    RC_ASSERT(one.decide(ours, seen, now).replicas == other.decide(knative, seen, now).replicas);
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
