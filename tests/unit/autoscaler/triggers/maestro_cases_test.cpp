// The numbered cases of Maestro's tests, and those derived from its code, through the lines of
// `bellows replay triggers`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autoscaler/triggers/fixed_targets.hpp"
#include "autoscaler/triggers/trigger_engine.hpp"
#include "autoscaler/triggers/trigger_replay.hpp"

namespace bellows::autoscaler::triggers {
namespace {

class Scheduler {
 public:
  explicit Scheduler(const std::string& config) { configure(config); }
  void configure(const std::string& config) { take("{\"config\":{" + config + "}}"); }

  /// The answer to a tick; `rest` has the members after `at`.
  std::string tick(double at, const std::string& rest) {
    return take("{\"at\":" + std::to_string(at) + "," + rest + "}");
  }
  std::string rooms(double at, int occupied, int total, const std::string& more = "") {
    return tick(at, "\"rooms\":{\"ready\":" + std::to_string(total - occupied) +
                        ",\"occupied\":" + std::to_string(occupied) + "}" + more);
  }

 private:
  std::string take(const std::string& text) {
    std::string out;
    const auto line = json::parse_line(text, 1);
    EXPECT_TRUE(line.has_value()) << text;
    const auto taken = replay_.take(*line, out);
    EXPECT_TRUE(taken.has_value()) << to_string(taken.error());
    return out;
  }
  TriggerReplay replay_;
};

std::string list(const std::string& way, const std::string& triggers, int cooldown = 0) {
  return "\"" + way + "\":{\"cooldown\":" + std::to_string(cooldown) + ",\"metricsTrigger\":[" +
         triggers + "]}";
}
const std::string kNoUp = list("up", "");
const std::string kNoDown = list("down", "");

testing::AssertionResult says(const std::string& answer, int delta, int applied) {
  const std::string want =
      "\"delta\":" + std::to_string(delta) + ",\"applied\":" + std::to_string(applied) + ",";
  if (answer.find(want) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "want " << want << " in " << answer;
}

std::string trigger(const std::string& type, int usage, const std::string& more = "") {
  return "{\"type\":\"" + type + "\",\"usage\":" + std::to_string(usage) +
         ",\"threshold\":80,\"time\":200" + more + "}";
}

/// The answer to the last of `before` equal ticks and one more.
std::string after(Scheduler& scheduler, int before, int occupied, int total,
                  const std::string& more = "") {
  for (int i = 0; i < before; ++i) scheduler.rooms(10 * i, occupied, total, more);
  return scheduler.rooms(10 * before, occupied, total, more);
}

PodCount room(int occupied, int total, int usage) {
  Tick tick;
  tick.rooms = {.creating = 0, .ready = total - occupied, .occupied = occupied, .terminating = 0};
  return delta_of({.type = TriggerType::kRoom, .usage = usage}, tick);
}

PodCount resource(int rooms, double usage, double requests, int target) {
  Tick tick;
  tick.rooms.ready = rooms;
  tick.cpu = Consumption{usage, requests};
  return delta_of({.type = TriggerType::kCpu, .usage = target}, tick);
}

TEST(MaestroRoom, ComputesCases1To4And41) {
  EXPECT_EQ(room(8, 10, 70), 1);
  EXPECT_EQ(room(4, 5, 50), 3);
  EXPECT_EQ(room(1, 5, 30), -2);
  EXPECT_EQ(room(0, 5, 30), -5);
}

TEST(MaestroRoom, RoundsExactHalvesAwayFromZeroInIntegers) {
  EXPECT_EQ(room(1, 1, 40), 2);
  EXPECT_EQ(room(1, 2, 40), 1);
  EXPECT_EQ(room(3, 3, 40), 5);
}

TEST(MaestroResources, ComputeCases15To25) {
  EXPECT_EQ(resource(10, 0.5, 1, 70), -2);
  EXPECT_EQ(resource(10, 0.9, 1, 70), 3);
  EXPECT_EQ(resource(10, 950e6, 1073741824.0, 70), 3);
  EXPECT_EQ(resource(5, 200e6, 1073741824.0, 30), -1);
  EXPECT_EQ(resource(5, 0.1, 1, 30), -3);
  EXPECT_EQ(resource(5, 0.6, 1, 50), 1);
  EXPECT_EQ(resource(14, 0.8, 1, 50), 9);
  EXPECT_EQ(resource(14, 800e6, 1073741824.0, 50), 7);
}

TEST(MaestroResources, MultiplyInIntegersWhereFloatingPointMisrounds) {
  EXPECT_EQ(resource(25, 0.14, 1, 50), 7 - 25);
  EXPECT_EQ(resource(25, 0.56, 1, 50), 28 - 25);
  EXPECT_EQ(resource(25, 1.10, 1, 50), 55 - 25);
}

/// Decides on 17 equal ticks, of which the last one can fire.
std::string settled(const std::string& config, int occupied, int total,
                    const std::string& more = "") {
  Scheduler scheduler(config);
  return after(scheduler, 16, occupied, total, more);
}

/// What `pods` pods use of what each of them requests.
std::string used(const std::string& type, int pods, double usage, double request) {
  return ",\"" + type + "\":{\"usage\":" + std::to_string(pods * usage) +
         ",\"requests\":" + std::to_string(pods * request) + "}";
}

TEST(MaestroDecision, Case1FiresWithItsDelta) {
  EXPECT_TRUE(says(settled(list("up", trigger("room", 70)) + "," + kNoDown, 8, 10), 1, 1));
}

TEST(MaestroDecision, Cases15And20CpuAndMemoryScaleDown) {
  const std::string cpu = kNoUp + "," + list("down", trigger("cpu", 70));
  EXPECT_TRUE(says(settled(cpu, 0, 10, used("cpu", 10, 0.5, 1)), -2, -2));
  const std::string memory = kNoUp + "," + list("down", trigger("mem", 30));
  EXPECT_TRUE(says(settled(memory, 0, 5, used("mem", 5, 200e6, 1073741824)), -1, -1));
}

TEST(MaestroDecision, Cases16And18And22CpuAndMemoryScaleUp) {
  const std::string cpu = list("up", trigger("cpu", 70)) + "," + kNoDown;
  EXPECT_TRUE(says(settled(cpu, 0, 10, used("cpu", 10, 0.9, 1)), 3, 3));
  const std::string memory = list("up", trigger("memory", 70)) + "," + kNoDown;
  EXPECT_TRUE(says(settled(memory, 0, 10, used("mem", 10, 950e6, 1073741824)), 3, 3));
  const std::string half = list("up", trigger("cpu", 50)) + "," + kNoDown;
  EXPECT_TRUE(says(settled(half, 0, 5, used("cpu", 5, 0.6, 1)), 1, 1));
}

TEST(MaestroDecision, Case25MemoryClampsToMax) {
  const std::string config = "\"max\":20," + list("up", trigger("mem", 50)) + "," + kNoDown;
  EXPECT_TRUE(says(settled(config, 0, 14, used("mem", 14, 800e6, 1073741824)), 7, 6));
}

TEST(MaestroDecision, Case8SaysThatTheStateWaits) {
  Scheduler down(kNoUp + "," + list("down", trigger("room", 30), 60));
  after(down, 16, 1, 9);
  const std::string answer = down.rooms(170, 1, 9);
  EXPECT_NE(answer.find("still in cooldown for 50"), std::string::npos) << answer;
  EXPECT_NE(answer.find("overdimensioned"), std::string::npos) << answer;
}

TEST(MaestroDecision, Case2And4FireOnceEnoughPointsLieBeyond) {
  Scheduler up(list("up", trigger("room", 50)) + "," + kNoDown);
  EXPECT_TRUE(says(after(up, 15, 4, 5), 0, 0));
  EXPECT_TRUE(says(up.rooms(160, 4, 5), 3, 3));
  Scheduler down(kNoUp + "," + list("down", trigger("room", 30)));
  EXPECT_TRUE(says(after(down, 16, 1, 5), -2, -2));
}

TEST(MaestroDecision, Case5FewPointsBelowDoNothing) {
  Scheduler mixed(kNoUp + "," + list("down", trigger("room", 30)));
  for (int i = 0; i < 15; ++i) mixed.rooms(10 * i, 4, 5);
  for (int i = 15; i < 19; ++i) mixed.rooms(10 * i, 1, 5);
  EXPECT_TRUE(says(mixed.rooms(190, 1, 5), 0, 0));
}

TEST(MaestroDecision, Case6DoesNotGoBelowMin) {
  Scheduler down("\"min\":2," + kNoUp + "," + list("down", trigger("room", 30)));
  EXPECT_TRUE(says(after(down, 30, 0, 2), 0, 0));
}

TEST(MaestroDecision, Cases8And39WaitForTheCooldownStrictly) {
  Scheduler down(kNoUp + "," + list("down", trigger("room", 30), 60));
  EXPECT_TRUE(says(after(down, 16, 1, 9), -6, -6));
  EXPECT_TRUE(says(down.rooms(170, 1, 9), 0, 0));
  EXPECT_TRUE(says(down.rooms(220, 1, 9), 0, 0));  // exactly 60 s
  EXPECT_TRUE(says(down.rooms(221, 1, 9), -6, -6));
}

TEST(MaestroDecision, Cases9And14CorrectTheBoundsAtOnce) {
  Scheduler both("\"min\":2,\"max\":20," + list("up", trigger("room", 50), 600) + "," + kNoDown);
  EXPECT_TRUE(says(both.rooms(0, 20, 23), -3, -3));
  EXPECT_TRUE(says(both.rooms(10, 0, 1), 1, 1));
}

TEST(MaestroDecision, Case10AtMaxUpIsNotEvaluated) {
  Scheduler at_max("\"max\":20," + list("up", trigger("room", 50)) + "," + kNoDown);
  EXPECT_TRUE(says(after(at_max, 40, 19, 20), 0, 0));
}

TEST(MaestroDecision, Case11ClampsToMax) {
  Scheduler up("\"max\":20," + list("up", trigger("room", 50)) + "," + kNoDown);
  EXPECT_TRUE(says(after(up, 16, 12, 14), 10, 6));
}

TEST(MaestroDecision, Case13TheLimitIgnoresTheCooldown) {
  Scheduler up(list("up", trigger("room", 50, ",\"limit\":90"), 600) + "," + kNoDown);
  EXPECT_TRUE(says(up.rooms(0, 10, 11), 9, 9));
  EXPECT_TRUE(says(up.rooms(10, 10, 11), 9, 9));
}

TEST(MaestroDecision, Case38TheLimitItselfCounts) {
  Scheduler up(list("up", trigger("room", 50, ",\"limit\":90")) + "," + kNoDown);
  EXPECT_TRUE(says(up.rooms(0, 9, 10), 8, 8));
}

TEST(MaestroDecision, Case21ClampsToMin) {
  Scheduler down("\"min\":4," + kNoUp + "," + list("down", trigger("cpu", 30)));
  EXPECT_TRUE(says(after(down, 16, 0, 5, ",\"cpu\":{\"usage\":0.1,\"requests\":1}"), -3, -1));
}

TEST(MaestroDecision, Cases24And28CpuAndMax) {
  Scheduler up("\"max\":20," + list("up", trigger("cpu", 50)) + "," + kNoDown);
  const std::string busy = ",\"cpu\":{\"usage\":0.8,\"requests\":1}";
  EXPECT_TRUE(says(after(up, 16, 0, 14, busy), 9, 6));
  EXPECT_TRUE(says(up.rooms(170, 0, 20, busy), 0, 0));
}

TEST(MaestroDecision, Cases29And30LegacyIsAConstant) {
  Scheduler up(list("up", trigger("legacy", 60, ",\"delta\":100")) + "," + kNoDown);
  EXPECT_TRUE(says(after(up, 16, 8, 10), 100, 100));
  Scheduler two(list("up", trigger("legacy", 60, ",\"delta\":2"), 60) + "," + kNoDown);
  const std::string answer = after(two, 16, 2, 3);
  EXPECT_TRUE(says(answer, 2, 2));
  EXPECT_NE(answer.find("\"state\":\"in-sync\""), std::string::npos);
  EXPECT_TRUE(says(two.rooms(220, 2, 3), 0, 0)) << "the change at 160 began the cooldown";
  EXPECT_TRUE(says(two.rooms(230, 2, 3), 2, 2));
}

TEST(MaestroDecision, Case31HalfOfThePointsAreTooFewBothWays) {
  Scheduler both(list("up", trigger("legacy", 60, ",\"delta\":2")) + "," +
                 list("down", trigger("legacy", 40, ",\"delta\":-2")));
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(says(both.rooms(10 * i, i % 2 == 0 ? 9 : 1, 12), 0, 0)) << i;
  }
}

TEST(MaestroDecision, Case31CorrectsAWrongState) {
  Scheduler up(list("up", trigger("legacy", 60, ",\"delta\":2")) + "," + kNoDown);
  const std::string answer = up.rooms(0, 1, 2, ",\"state\":\"subdimensioned\"");
  EXPECT_TRUE(says(answer, 0, 0));
  EXPECT_NE(answer.find("\"state\":\"in-sync\""), std::string::npos);
}

TEST(MaestroHistory, Case33OnePointIsTooFew) {
  UsageHistory points;
  points.resize(11);
  points.push(point_of(0.5));
  Beyond sum{.is_up = false, .window = 11, .target = point_of(0.8)};
  sum.recount(points);
  EXPECT_EQ(sum.count, 1);
  EXPECT_FALSE(sum.count * 100 > 70 * 10);
}

TEST(MaestroHistory, Case34TheCapacityIsTimeThroughPeriod) {
  const auto object = json::parse(
      R"({"period":20,"up":{"metricsTrigger":[{"type":"room","usage":50,"time":120}]}})");
  const auto config = read_config(*object);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->up.triggers.front().points, 6);
}

TEST(MaestroDecision, Case35CreatingKeepsPointsAndDecidesNothing) {
  Scheduler up(list("up", trigger("room", 50)) + "," + kNoDown);
  EXPECT_TRUE(says(after(up, 16, 4, 5, ",\"state\":\"creating\""), 0, 0));
  EXPECT_TRUE(says(up.rooms(170, 4, 5, ",\"state\":\"in-sync\""), 3, 3));
}

TEST(MaestroHistory, Case36FiresAtThe49thTickBeyond) {
  const std::string slow = R"({"type":"room","usage":50,"threshold":80,"time":600})";
  Scheduler up(list("up", slow) + "," + kNoDown);
  EXPECT_TRUE(says(after(up, 47, 4, 5), 0, 0));
  EXPECT_TRUE(says(up.rooms(480, 4, 5), 3, 3));
}

TEST(MaestroDecision, Case41ClampsDownToMin) {
  Scheduler down("\"min\":2," + kNoUp + "," + list("down", trigger("room", 30)));
  EXPECT_TRUE(says(after(down, 16, 0, 5), -5, -3));
}

TEST(TriggerDeviations, AShortDownTriggerDoesNotCutTheHistoryOfUp) {
  const std::string fast = R"({"type":"room","usage":30,"threshold":80,"time":100})";
  const std::string slow = R"({"type":"room","usage":50,"threshold":80,"time":600})";
  Scheduler both(list("up", slow) + "," + list("down", fast));
  EXPECT_TRUE(says(after(both, 48, 4, 5), 3, 3));
}

TEST(TriggerDeviations, ALimitBelowTheUsageNeverScalesDown) {
  Scheduler up(list("up", trigger("room", 80, ",\"limit\":70")) + "," + kNoDown);
  EXPECT_TRUE(says(after(up, 30, 15, 20), 0, 0));
}

TEST(TriggerDeviations, NewSettingsCountThePointsOfTheirOwnTypes) {
  const std::string cpu = trigger("cpu", 70);
  const std::string room = trigger("room", 70);
  Scheduler scheduler(list("up", room + "," + cpu) + "," + kNoDown);
  const std::string busy_cpu = ",\"cpu\":{\"usage\":0.8,\"requests\":1}";
  for (int i = 0; i < 16; ++i) scheduler.rooms(10 * i, 1, 10, busy_cpu);
  scheduler.configure(list("up", cpu + "," + room) + "," + kNoDown);
  const std::string answer = scheduler.rooms(160, 1, 10, busy_cpu);
  EXPECT_TRUE(says(answer, 2, 2));
  EXPECT_NE(answer.find("up[0] cpu"), std::string::npos) << answer;
}

TEST(TriggerDeviations, MissingMetricsDecideNothingAndSaySo) {
  Scheduler up("\"max\":20," + list("up", trigger("cpu", 50)) + "," + kNoDown);
  for (int i = 0; i < 20; ++i) up.rooms(10 * i, 0, 5, ",\"cpu\":{\"usage\":4,\"requests\":5}");
  const std::string answer = up.rooms(200, 0, 5);
  EXPECT_TRUE(says(answer, 0, 0));
  EXPECT_NE(answer.find("unknown"), std::string::npos) << answer;
}

TEST(Version10, RoomOccupancyCases) {
  EXPECT_EQ(with_free_share(160, 0.5, 2), 160);
  EXPECT_EQ(with_free_share(5, 0.1), 6);
  EXPECT_EQ(with_free_share(0, 0.3), 0);
  EXPECT_FALSE(may_scale_down(160, 0.5, 120, 0.6));
  EXPECT_TRUE(may_scale_down(140, 0.5, 100, 0.7));
  EXPECT_TRUE(may_scale_down(120, 0.5, 100, 0.6));
  EXPECT_FALSE(may_scale_down(160, 0.5, 250, 0.6, 2));
}

TEST(Version10, TerminatingReplicasAreNoneAndTheGuardHoldsDown) {
  const std::string share = R"({"type":"roomOccupancy","readyTarget":0.5)";
  Scheduler both(list("up", share + "}") + "," +
                 list("down", share + R"(,"downThreshold":0.6})", 300));
  EXPECT_TRUE(says(both.rooms(0, 10, 15), 5, 5));
  EXPECT_TRUE(says(both.rooms(10, 80, 200), 0, 0)) << "80 of 120 free ones are 67 %";
  EXPECT_TRUE(says(both.rooms(11, 60, 160), 0, 0)) << "60 %, in cooldown";
  EXPECT_TRUE(says(both.rooms(301, 60, 160), -40, -40)) << "60 % is allowed";
  EXPECT_TRUE(says(both.rooms(302, 90, 120), 60, 60)) << "up needs no cooldown";
  EXPECT_TRUE(says(both.tick(900, R"("rooms":{"ready":5,"occupied":5,"terminating":30})"), 0, 0));
}

TEST(Version10, BufferCases) {
  EXPECT_EQ(buffered(5, 10), 15);
  Scheduler both(list("up", R"({"type":"buffer","amount":10})") + "," +
                 list("down", R"({"type":"buffer","amount":10})"));
  EXPECT_TRUE(says(both.rooms(0, 5, 15), 0, 0));
  EXPECT_TRUE(says(both.rooms(10, 5, 10), 5, 5));
  EXPECT_TRUE(says(both.rooms(20, 5, 20), -5, -5));
}

TEST(TriggerErrors, NameKeyValueAndRange) {
  const auto error_of = [](const std::string& text) {
    const auto config = read_config(*json::parse(text, "autoscaling"));
    return config ? std::string() : to_string(config.error());
  };
  using testing::AssertionSuccess;
  const auto has = [&](const std::string& text, const std::string& part) {
    return error_of(text).find(part) != std::string::npos
               ? AssertionSuccess()
               : testing::AssertionFailure() << error_of(text);
  };
  EXPECT_TRUE(has(R"({"mni":1})", "autoscaling.mni"));
  EXPECT_TRUE(has(R"({"min":3,"max":2})", "autoscaling.min: 3"));
  EXPECT_TRUE(has(R"({"up":{"metricsTrigger":[{"type":"room","usage":0}]}})", "usage: 0"));
  EXPECT_TRUE(has(R"({"up":{"metricsTrigger":[{"type":"room","time":5}]}})", "time: 5"));
  EXPECT_TRUE(has(R"({"up":{"metricsTrigger":[{"type":"room","usage":40}]},
                      "down":{"metricsTrigger":[{"type":"room","usage":50}]}})",
                  "usage: 40"));
  for (const std::string bad : {"0", "1", "1.1"}) {
    EXPECT_TRUE(
        has(R"({"up":{"metricsTrigger":[{"type":"roomOccupancy","readyTarget":)" + bad + "}]}}",
            "readyTarget"));
    EXPECT_TRUE(has(R"({"down":{"metricsTrigger":[{"type":"roomOccupancy","readyTarget":0.5,)"
                    R"("downThreshold":)" +
                        bad + "}]}}",
                    "downThreshold"));
  }
}

}  // namespace
}  // namespace bellows::autoscaler::triggers
