// Lists of policies: names and parameters, the maximum, restarts, and a decision through all parts.
#include <gtest/gtest.h>
// After gtest.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/journal.hpp"
#include "autoscaler/core/rules/fresh_start.hpp"
#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/journal/decision_replay.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "config/revision_schema.hpp"

namespace bellows::autoscaler {

PolicyType request_rate_policy();

namespace {

using std::chrono::seconds;

std::string error_of(const std::string& names, const std::string& parameters) {
  const auto list = PolicyList::make(names, parameters);
  return list ? std::string() : to_string(list.error());
}

TEST(PolicyList, TheDefaultIsTheConcurrencyDeciderAlone) {
  EXPECT_TRUE(PolicyList::make("", "").value().is_plain());
  EXPECT_TRUE(PolicyList::make("concurrency", "").value().is_plain());
  EXPECT_FALSE(PolicyList::make("", R"({"min":2})").value().is_plain());
}

TEST(PolicyList, ErrorsNameWhatIsWrongAndWhatIsValid) {
  EXPECT_NE(error_of("cuncurrency", "").find("concurrency, triggers, schedule"), std::string::npos);
  EXPECT_NE(error_of("buffer", "").find("autoscaling.buffer"), std::string::npos);
  EXPECT_NE(error_of("buffer", R"({"buffer":{"amount":0}})").find("amount: 0"), std::string::npos);
  EXPECT_NE(error_of("concurrency", R"({"buffer":{"amount":1}})").find("buffer"),
            std::string::npos);
  EXPECT_NE(error_of("buffer,buffer", R"({"buffer":{"amount":1}})").find("once"),
            std::string::npos);
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(PolicyList, TheExampleOfTheDocumentationIsTheFileThatIsBuiltHere) {
  const std::string source = file_text(BELLOWS_EXAMPLE_POLICY);
  const std::string built =
      source.substr(source.find('\n') + 1);  // without the line about the page
  const std::string page = file_text(BELLOWS_DOCS_DIR "/policies.md");
  ASSERT_GT(built.size(), 100U);
  EXPECT_NE(page.find("```cpp\n" + built + "```"), std::string::npos);
}

TEST(PolicyList, TakesTheExampleOfTheDocumentation) {
  PolicyTypes types = policy_types();
  types.push_back(request_rate_policy());
  const auto list =
      PolicyList::make("request-rate", R"({"request-rate":{"per-replica":50}})", types);
  ASSERT_TRUE(list.has_value()) << to_string(list.error());
  Observation seen;
  seen.stable_rate = 101;
  const PolicySeen more;
  const PolicyOutcome outcome =
      list->propose({.now = TimePoint{}, .seen = seen, .more = more}, PolicyMemories{});
  EXPECT_EQ(outcome.proposals.front().replicas, 3);
  EXPECT_EQ(outcome.proposals.front().reason, "101 requests a second");
}

config::RevisionSettings settings_of(const std::string& policy, const std::string& parameters) {
  config::RevisionSettings settings;
  settings.policy = policy;
  settings.autoscaling = parameters;
  settings.max_scale = 50;
  return settings;
}

/// One revision in virtual time; every ordered replica is ready at once.
class Revision {
 public:
  explicit Revision(const config::RevisionSettings& settings)
      : settings_(std::make_shared<const config::RevisionSettings>(settings)),
        spec_(scaling_spec(settings)) {
    state_ = begin(spec_, {}, now_);
    journal_.start_from(state_);
  }

  Decision decide_after(Duration later, PolicySeen more, double load = 0) {
    now_ += later;
    more.wall = WallTime(std::chrono::seconds(1'790'000'000) + now_.time_since_epoch());
    Observation seen;
    seen.stable = seen.panic = {.total = load, .per_pod = 0, .covered_seconds = 60, .queued = 0};
    seen.panic.covered_seconds = 6;
    if (!is_load_known_) seen.stable = seen.panic = WindowLoad{};
    seen.ready = seen.observed = seen.in_window = seen.requested = state_.replicas;
    seen.policy = PolicySeenPtr(std::move(more));
    Decision decision = decide(spec_, seen, state_, now_);
    remember(state_, decision);
    journal_.add(decision, settings_);
    return decision;
  }

  /// Goes on as a successor that read the state from a file.
  void restart() {
    json::Writer out;
    journal::write_state(out, "state", state_, now_);
    const auto line = json::parse(out.end());
    state_ = journal::read_state(*line->object("state"), now_).value();
  }

  /// As if so many had been ordered before.
  void start_with(PodCount replicas) { state_.replicas = replicas; }
  /// From now on no window has a second.
  void forget_load() { is_load_known_ = false; }

  const Journal& journal() const { return journal_; }
  PodCount replicas() const { return state_.replicas; }

 private:
  SettingsPtr settings_;
  ScalingSpec spec_;
  TimePoint now_{seconds(1000)};
  DeciderState state_;
  Journal journal_;
  bool is_load_known_ = true;
};

PolicySeen rooms(PodCount occupied, PodCount total) {
  PolicySeen more;
  more.rooms = {.creating = 0, .ready = total - occupied, .occupied = occupied, .terminating = 0};
  return more;
}

TEST(Policies, BufferKeepsFreeReplicasAndExplains) {
  Revision revision(settings_of("buffer", R"({"buffer":{"amount":2}})"));
  const Decision decision = revision.decide_after(seconds(2), rooms(5, 5));
  EXPECT_EQ(decision.replicas, 7);
  EXPECT_EQ(decision.rule, Rule::kPolicy);
  EXPECT_EQ(explain::reason_text(decision), "7 because policy buffer: 5 occupied and 2 free");
}

TEST(Policies, AreExplainedWithWhyAndTheReasonOfOccupiedReplicas) {
  const IdleTimes idle_times;
  const explain::ClockText clock = [](TimePoint) { return std::string("noon"); };
  Revision rooms_only(settings_of("buffer", R"({"buffer":{"amount":2}})"));
  const Decision by_buffer = rooms_only.decide_after(seconds(2), rooms(5, 5));
  EXPECT_EQ(explain::why({by_buffer, idle_times, clock}), "policy buffer: 5 occupied and 2 free");
  EXPECT_EQ(explain::next({by_buffer, idle_times, clock}), "");
  PolicySeen more = rooms(9, 9);
  more.kept = 9;
  const Decision kept = rooms_only.decide_after(seconds(2), more);
  EXPECT_EQ(kept.replicas, 11);
  Revision requests(settings_of("", ""));
  const Decision occupied = requests.decide_after(seconds(2), more);
  EXPECT_EQ(
      explain::why({occupied, idle_times, clock}).find("9 replicas are occupied and not removed"),
      0U);
}

TEST(Policies, TheMaximumOfConcurrencyAndAFloorHolds) {
  Revision revision(
      settings_of("concurrency,schedule",
                  R"({"schedule":{"entries":[{"from":"0 0 * * *","for":"24h","replicas":3}]}})"));
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(0, 0)).replicas, 3);
  const Decision busy = revision.decide_after(seconds(2), rooms(3, 3), 1000);
  EXPECT_GT(busy.replicas, 3);
  EXPECT_NE(busy.rule, Rule::kPolicy);
}

TEST(Policies, OccupiedReplicasStayWhateverTheLoadSays) {
  Revision revision(settings_of("", ""));
  PolicySeen more = rooms(4, 4);
  more.kept = 4;
  const Decision decision = revision.decide_after(seconds(2), more);
  EXPECT_EQ(decision.replicas, 4);
  EXPECT_EQ(decision.rule, Rule::kOccupied);
}

TEST(Policies, TheUrlOfAWebhookHasNothingThatEndsAPartOfARequest) {
  const auto is_valid = [](const std::string& url) {
    return PolicyList::make("webhook", R"({"webhook":{"url":")" + url + R"("}})").has_value();
  };
  EXPECT_TRUE(is_valid("http://h:80/a?b=%20"));
  for (const char* url : {"https://h/", "h/", "http://h/a b", R"(http://h\r\nX: y/)",
                          R"(http://[::1\u0000]:80/)", R"(http://h/\u007f)", "http://h/\xc3\xa9"}) {
    EXPECT_FALSE(is_valid(url)) << url;
  }
}

TEST(Policies, AListHasAtMostAHundredEntries) {
  const auto made = [](int count) {
    std::string entries;
    for (int i = 0; i < count; ++i) {
      entries +=
          std::string(i == 0 ? "" : ",") + R"({"from":"0 0 30 2 *","for":"1h","replicas":1})";
    }
    return PolicyList::make("schedule", R"({"schedule":{"entries":[)" + entries + "]}}");
  };
  EXPECT_TRUE(made(100));
  EXPECT_NE(to_string(made(101).error()).find("want 1 to 100 entries"), std::string::npos);
}

TEST(Policies, AWebhookThatFailsHoldsTheLastAnswerAndThenTheNumber) {
  Revision revision(settings_of("webhook", R"({"webhook":{"url":"http://h/","hold":"30s"}})"));
  PolicySeen more = rooms(0, 0);
  more.answers = {{.url = "http://h/", .replicas = 6, .age = seconds(2), .failure = {}}};
  EXPECT_EQ(revision.decide_after(seconds(2), more).replicas, 6);
  more.answers = {{.url = "http://h/", .replicas = 6, .age = seconds(29), .failure = "timed out"}};
  EXPECT_EQ(revision.decide_after(seconds(2), more).replicas, 6);
  more.answers = {{.url = "http://h/", .replicas = 6, .age = seconds(31), .failure = "timed out"}};
  const Decision late = revision.decide_after(seconds(2), more);
  EXPECT_EQ(late.replicas, 6);
  EXPECT_FALSE(late.is_valid);
  EXPECT_NE(explain::reason_text(late).find("timed out"), std::string::npos);
}

TEST(Policies, CounterDividesByTheCapacity) {
  Revision revision(settings_of("counter", R"({"counter":{"target":50}})"));
  PolicySeen more = rooms(1, 1);
  more.counter = CounterSum{.count = 30, .capacity = 20, .replicas = 2, .sized = 1};
  EXPECT_EQ(revision.decide_after(seconds(2), more).replicas, 3);
}

TEST(Policies, CounterTakesTheSettingWhereNoReplicaReportsACapacity) {
  Revision revision(settings_of("counter", R"({"counter":{"target":100,"capacity":10}})"));
  PolicySeen more = rooms(2, 2);
  more.counter = CounterSum{.count = 35, .capacity = 0, .replicas = 2, .sized = 0};
  EXPECT_EQ(revision.decide_after(seconds(2), more).replicas, 4);
}

TEST(Policies, RoomOccupancyKeepsItsShareAndGuardsScalingDown) {
  Revision revision(
      settings_of("roomOccupancy",
                  R"({"roomOccupancy":{"readyTarget":0.5,"downThreshold":0.6,"cooldown":60}})"));
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(10, 10)).replicas, 20);
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(8, 20)).replicas, 20) << "8 of 12 are 67 %";
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(6, 20)).replicas, 12) << "6 of 14 are 43 %";
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(3, 12)).replicas, 12) << "in cooldown";
  EXPECT_EQ(revision.decide_after(seconds(60), rooms(3, 12)).replicas, 6);
}

TEST(Policies, ManyMatchesAreNoOverflow) {
  Revision revision(settings_of(
      "roomOccupancy",
      R"({"roomOccupancy":{"readyTarget":0.5,"downThreshold":0.6,"maxMatchesPerRoom":10000}})"));
  PolicySeen more = rooms(1, 1);
  more.counter = CounterSum{.count = 4e12, .capacity = 0, .replicas = 1, .sized = 0};
  EXPECT_EQ(revision.decide_after(seconds(2), more).replicas, 50);
}

TEST(Policies, AChainSaysWhichEntryDecidedAlsoAtTheNumberOfTheLoad) {
  Revision revision(settings_of("chain", R"({"chain":{"entries":[
      {"when":{"occupied-over":50},"policy":{"type":"buffer","amount":1}},
      {"policy":{"type":"concurrency"}}]}})"));
  const Decision decision = revision.decide_after(seconds(2), rooms(0, 0), 0);
  EXPECT_EQ(decision.policies->is_by_load, true);
  const PodCount by_load = revision.decide_after(seconds(2), rooms(0, 0), 100).replicas;
  ASSERT_GT(by_load, 1);
  const Decision chain = revision.decide_after(seconds(2), rooms(by_load - 1, by_load - 1), 100);
  EXPECT_EQ(chain.rule, Rule::kPolicy);
  EXPECT_NE(explain::reason_text(chain).find("entry 0 (buffer)"), std::string::npos);
}

TEST(PolicyList, ATimeWithoutItsBeginIsAnErrorInAChain) {
  const std::string error = error_of("chain", R"({"chain":{"entries":[
      {"when":{"to":"0 8 * * *"},"policy":{"type":"buffer","amount":1}}]}})");
  EXPECT_NE(error.find("when.from"), std::string::npos) << error;
  const std::string other = error_of("chain", R"({"chain":{"entries":[
      {"policy":{"type":"triggers","min":1,"buffer":{"amount":1}}}]}})");
  EXPECT_NE(other.find("policy.buffer"), std::string::npos) << other;
}

TEST(PolicyList, APeriodBelowTheOneOfDecisionsIsAnError) {
  const std::string error = error_of("triggers", R"({"period":1,"up":{"metricsTrigger":[]}})");
  EXPECT_NE(error.find("period: 1: want at least 2"), std::string::npos) << error;
}

TEST(Policies, ChainTakesTheFirstEntryThatHolds) {
  Revision revision(settings_of("chain", R"({"chain":{"entries":[
      {"when":{"occupied-over":50},"policy":{"type":"buffer","amount":10}},
      {"policy":{"type":"buffer","amount":1}}]}})"));
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(1, 4)).replicas, 2);
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(3, 4)).replicas, 13);
}

TEST(Policies, AnEntryOfAChainWithoutANumberLeavesItToTheNext) {
  Revision revision(settings_of("chain", R"({"chain":{"entries":[
      {"policy":{"type":"webhook","url":"http://127.0.0.1:9/scale"}},
      {"when":{"occupied-over":90},"policy":{"type":"buffer","amount":9}},
      {"policy":{"type":"buffer","amount":1}}]}})"));
  PolicySeen more = rooms(1, 4);
  more.answers = {{.url = "http://127.0.0.1:9/scale", .failure = "connection refused"}};
  const Decision failed = revision.decide_after(seconds(2), more);
  EXPECT_EQ(failed.replicas, 2);
  EXPECT_NE(explain::reason_text(failed).find(
                "entry 0 (webhook): http://127.0.0.1:9/scale has not answered: "
                "connection refused; entry 2 (buffer): 1 occupied and 1 free"),
            std::string::npos)
      << explain::reason_text(failed);
  more.answers = {{.url = "http://127.0.0.1:9/scale", .replicas = 7}};
  EXPECT_EQ(revision.decide_after(seconds(2), more).replicas, 7);
}

constexpr const char* kTriggers = R"({"min":2,"max":40,
  "up":{"cooldown":60,"metricsTrigger":[{"type":"room","usage":70,"threshold":80,"time":60}]},
  "down":{"cooldown":60,"metricsTrigger":[{"type":"room","usage":30,"threshold":80,"time":120}]}})";

/// Triggers that hold: neither fires at half of the replicas.
PolicySeen half_of(PodCount ready) {
  return rooms(ready / 2, ready);
}

TEST(Policies, MoreOrFewerPodsThanOrderedForAWhileChangeNoNumber) {
  Revision revision(settings_of("", kTriggers));
  revision.start_with(10);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(revision.decide_after(seconds(2), half_of(13)).replicas, 10) << "a rolling update";
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(revision.decide_after(seconds(2), half_of(8)).replicas, 10) << "two were evicted";
  }
}

TEST(Policies, PointsKeepToTheirPeriodWhateverTheTimesOfDecisions) {
  Revision revision(settings_of("", R"({"min":2,"max":40,"period":5,
    "up":{"cooldown":0,"metricsTrigger":[{"type":"legacy","usage":70,"threshold":80,"time":50,
                                          "limit":100,"delta":1}]},
    "down":{"cooldown":0,"metricsTrigger":[]}})"));
  revision.start_with(10);
  // 9 of 11 points of 5 s: the first after 2 s, the ninth 40 s later.
  int decisions = 0;
  while (revision.decide_after(seconds(2), rooms(9, 10)).replicas == 10) ++decisions;
  EXPECT_EQ(decisions, 20);
}

TEST(Policies, APanicScaleWaitsForNoPoint) {
  Revision revision(settings_of("", R"({"min":1,"max":40,"period":60,"enablePanicScale":true,
    "up":{"delta":3,"trigger":{"limit":80,"time":600,"usage":70,"threshold":80}}})"));
  revision.start_with(4);
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(3, 4)).replicas, 4);
  const Decision panic = revision.decide_after(seconds(2), rooms(4, 4));
  EXPECT_EQ(panic.replicas, 7);
  EXPECT_NE(explain::reason_text(panic).find("panic limit of 80 %"), std::string::npos);
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(4, 4)).replicas, 7) << "three are created";
  EXPECT_EQ(revision.decide_after(seconds(2), rooms(5, 7)).replicas, 7);
}

TEST(Policies, SlotsOfUnknownLoadFireNoTrigger) {
  config::RevisionSettings settings = settings_of("", kTriggers);
  settings.container_concurrency = 10;
  Revision revision(settings);
  revision.start_with(8);
  revision.forget_load();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(revision.decide_after(seconds(2), rooms(0, 8)).replicas, 8);
  }
}

TEST(Policies, APartOfASlotKeepsTheLastReplica) {
  config::RevisionSettings settings = settings_of("", R"({"min":0,"max":40,
    "up":{"metricsTrigger":[]},
    "down":{"cooldown":0,"metricsTrigger":[{"type":"room","usage":30,"threshold":80,"time":20}]}})");
  settings.container_concurrency = 10;
  Revision revision(settings);
  revision.start_with(8);
  for (int i = 0; i < 30; ++i) revision.decide_after(seconds(2), rooms(1, 8), 0.3);
  EXPECT_EQ(revision.replicas(), 1);
  for (int i = 0; i < 30; ++i) revision.decide_after(seconds(2), rooms(0, 1), 0);
  EXPECT_EQ(revision.replicas(), 0);
}

TEST(Policies, TriggersDecideTheSameAfterARestartInTheMiddle) {
  Revision whole(settings_of("", kTriggers));
  Revision restarted(settings_of("", kTriggers));
  for (int step = 0; step < 300; ++step) {
    const bool is_busy = step < 120 || step > 200;
    const auto seen = [&](PodCount total) { return rooms(is_busy ? total : total / 5, total); };
    if (step % 37 == 0) restarted.restart();
    const Decision one = whole.decide_after(seconds(2), seen(whole.replicas()));
    const Decision two = restarted.decide_after(seconds(2), seen(restarted.replicas()));
    ASSERT_EQ(one.replicas, two.replicas) << "step " << step;
    ASSERT_EQ(explain::reason_text(one), explain::reason_text(two)) << "step " << step;
  }
  EXPECT_GT(whole.replicas(), 2);
}

/// Policies that remember, alone and as entries of a chain.
config::RevisionSettings any_that_remembers(int which) {
  const char* const panic = R"({"min":1,"max":30,"period":4,"enablePanicScale":true,
      "up":{"delta":2,"cooldown":9,"trigger":{"usage":60,"time":12,"limit":70}}})";
  const char* const occupancy =
      R"({"roomOccupancy":{"readyTarget":0.5,"downThreshold":0.9,"cooldown":20}})";
  const char* const chain = R"({"chain":{"entries":[
      {"when":{"occupied-over":60},"policy":{"type":"buffer","amount":3,"cooldown":12}},
      {"policy":{"type":"triggers","min":1,"max":30,"period":4,
        "up":{"cooldown":0,"metricsTrigger":[
          {"type":"room","usage":40,"threshold":50,"time":12}]}}}]}})";
  if (which == 0) return settings_of("", kTriggers);
  if (which == 1) return settings_of("", panic);
  return which == 2 ? settings_of("roomOccupancy", occupancy) : settings_of("chain", chain);
}

RC_GTEST_PROP(Policies, ARestartAtAnyStepChangesNoDecision, ()) {
  const auto shares = *rc::gen::container<std::vector<int>>(80, rc::gen::inRange(0, 101));
  const int restart = *rc::gen::inRange(0, 80);
  const config::RevisionSettings settings = any_that_remembers(*rc::gen::inRange(0, 4));
  Revision whole(settings);
  Revision restarted(settings);
  for (int step = 0; step < 80; ++step) {
    if (step == restart) restarted.restart();
    const PodCount total = whole.replicas();
    const PolicySeen seen = rooms(total * shares[static_cast<std::size_t>(step)] / 100, total);
    const Decision one = whole.decide_after(seconds(2), seen);
    const Decision two = restarted.decide_after(seconds(2), seen);
    RC_ASSERT(one.replicas == two.replicas);
    RC_ASSERT(explain::reason_text(one) == explain::reason_text(two));
  }
}

TEST(Policies, AJournalOfTriggersReplaysToTheSameDecisions) {
  Revision revision(settings_of("", kTriggers));
  for (int step = 0; step < 100; ++step) {
    revision.decide_after(seconds(2), rooms(revision.replicas(), revision.replicas()));
  }
  const std::string lines =
      journal::journal_lines(revision.journal(), {RevisionId("web"), Duration::zero()});
  journal::DecisionReplay replay("bellows");
  std::vector<Decision> decisions;
  std::size_t number = 0;
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = lines.find('\n', from);
    const auto line = json::parse_line(lines.substr(from, end - from), ++number);
    ASSERT_TRUE(line.has_value());
    auto decided = replay.take(*line);
    ASSERT_TRUE(decided.has_value()) << to_string(decided.error());
    if (*decided) decisions.push_back((*decided)->decision);
    from = end + 1;
  }
  const auto entries = revision.journal().entries();
  ASSERT_EQ(decisions.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(decisions[i].replicas, entries[i].decision.replicas);
    EXPECT_EQ(explain::reason_text(decisions[i]), explain::reason_text(entries[i].decision));
  }
}

}  // namespace
}  // namespace bellows::autoscaler
