#include "config/revision_schema.hpp"

#include <gtest/gtest.h>
// rapidcheck needs gtest before it
#include <rapidcheck/gtest.h>

#include <set>

#include "config/profiles.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

bool takes(const std::string& key, const std::string& value) {
  return revision_schema().apply({flags({{key, value}})}).has_value();
}

struct Bounded {
  std::string key;
  Strings valid;     // at the bounds and within
  Strings rejected;  // just below, just above
};

const std::vector<Bounded> kNumbers = {
    {"container-concurrency", {"0", "1", "1000"}, {"-1", "1001", "1.5"}},
    {"target", {"0.01", "10", "1000000"}, {"0", "0.009", "-1"}},
    {"target-utilization-percentage", {"1", "70", "70%", "100"}, {"0", "0.9", "100.1", "101"}},
    {"profile", {"bellows", "knative", "seed"}, {"Knative", "", "default"}},
    {"metric", {"concurrency", "rps"}, {"cpu", "RPS"}},
    {"metric-aggregation-algorithm",
     {"linear", "weighted-exponential", "weightedExponential", "peak"},
     {"max", "exponential"}},
    {"cpu-utilization", {"1", "80%", "1000"}, {"0", "1001"}},
    {"memory-utilization", {"1", "80", "1000"}, {"0", "1001"}},
    {"max-scale-down-rate", {"1.01", "2", "1000000"}, {"1", "0.5"}},
    {"scale-down-delay", {"0s", "2s", "1h"}, {"-1s", "1500ms", "1h1s"}},
    {"activation-scale", {"2", "100"}, {"1", "0", "-2", "4294967298"}},
    {"scale-to-zero-pod-retention-period", {"0s", "90s", "7d"}, {"-1s", "168h1s"}},
    {"window", {"2s", "6s", "60s", "1h"}, {"0s", "1s", "1h1s", "2500ms", "60"}},
    {"panic-window-percentage", {"1", "10", "100"}, {"0", "0.5", "100.5"}},
    {"panic-threshold-percentage", {"110", "200", "1000", "2500"}, {"109", "100", "0"}},
    {"max-scale-up-rate", {"1.01", "10", "1000"}, {"1", "0", "-2"}},
    {"target-burst-capacity", {"-1", "0", "211"}, {"-2", "-0.5"}},
    {"min-scale", {"0", "1", "100000000"}, {"-1", "100000001"}},
    {"max-scale", {"0", "1", "100000000"}, {"-1", "100000001"}},
    {"initial-scale", {"0", "1", "100"}, {"-1", "1.5"}},
    {"enable-scale-to-zero", {"true", "false"}, {"yes", "True", "1", ""}},
    {"scale-to-zero-grace-period", {"1ms", "30s", "1h"}, {"0s", "1h1s", "30"}},
    {"revision-timeout", {"0s", "300s", "24h"}, {"24h1s", "300", "-1s"}},
    {"revision-response-start-timeout", {"0s", "5m"}, {"10", "25h"}},
    {"revision-idle-timeout", {"0s", "5m"}, {"10", "25h"}},
    {"queue-depth", {"1", "10000", "1000000"}, {"0", "1000001"}},
    {"queue-bytes", {"64Ki", "64Mi", "64Gi"}, {"65535", "65Gi"}},
    {"queue-age", {"1ms", "60s", "24h"}, {"0s", "999us", "25h"}},
    {"progress-deadline", {"1s", "600s", "24h"}, {"999ms", "25h"}},
    {"drain-timeout", {"0s", "5m", "24h", "1d"}, {"25h", "2d"}},
    {"max-tunnel-life", {"0s", "1h", "8760h"}, {"8761h", "366d"}},
    {"cpu-limit", {"10m", "0.5", "1000"}, {"9m", "0", "1001", "-1"}},
    {"memory-limit", {"4Mi", "64Mi", "16Ti"}, {"4194303", "17Ti", "64 MB"}},
    {"resources-mode", {"off", "advise", "initial", "auto"}, {"", "on", "Auto"}},
    {"cpu", {"1m", "250m", "1.5", "1000"}, {"0", "0.0001", "1001", "-1", "1 core"}},
    {"memory", {"1Mi", "250Mi", "16Ti"}, {"0", "1048575", "17Ti", "250 MB"}},
    {"resources-policy", {"default", "vpa", "spike", "hybrid"}, {"", "VPA", "auto"}},
    {"controlled-resources", {"cpu,memory", "cpu", "memory"}, {"", "memory,cpu", "none"}},
    {"controlled-values", {"requests-and-limits", "requests-only"}, {"", "limits"}},
    {"min-allowed-cpu", {"1m", "250m", "1000"}, {"0", "1001", "-1"}},
    {"max-allowed-cpu", {"1m", "250m", "1000"}, {"0", "1001", "-1"}},
    {"min-allowed-memory", {"1Mi", "16Ti"}, {"0", "1048575", "17Ti"}},
    {"max-allowed-memory", {"1Mi", "16Ti"}, {"0", "1048575", "17Ti"}},
    {"slow-brain", {"off", "advise", "auto"}, {"", "on", "Auto"}},
    {"latency-goal",
     {"", "p95 < 200ms", "p50<1s", " p99 < 1m30s"},
     {"200ms", "p90 < 1s", "p95 < 0s", "p95 > 1s", "p95 < 25h"}},
    {"latency-window", {"2s", "5m", "10m"}, {"1s", "11m"}},
    {"target-min", {"0.01", "1", "1000"}, {"0", "1001", "1000001"}},
    {"target-max", {"1", "1000", "1000000"}, {"0", "0.5", "1000001"}},
    {"load-balancing-policy",
     {"least-loaded", "knative", "random-choice-2", "first-available", "round-robin"},
     {"", "random"}},
    {"port", {"0", "1", "3000", "65535"}, {"", "-1", "65536", "http", "080"}},
    {"app-protocol", {"auto", "http1", "h2c"}, {"", "h2"}},
    {"queue-time-header", {"asked", "waited", "always"}, {"", "never"}},
    {"probe-user-agents", {"", "GoogleHC/", "GoogleHC/, ELB-HealthChecker/"}, {",", "a,,b"}},
    {"probe-paths", {"", "/healthz", "/a,/b"}, {"healthz", "/a,b", "/a?b"}},
    {"policy", {"", "triggers", "concurrency, schedule"}, {"a;b", "{}"}},
    {"autoscaling", {"", "{}", R"({"min":1})"}, {"[]", "{", "min: 1"}},
    {"occupied-by", {"default", "serving", "said", "nothing"}, {"", "all"}},
    {"split-by", {"request", "client"}, {"", "cookie"}},
    {"client-header", {"", "X-User", "x-user"}, {"X User", "X-User: 1", "Host"}},
    {"session-affinity", {"none", "cookie"}, {"", "true"}},
    {"waiting-page", {"", "built-in", "/srv/wait.html"}, {"on", "/srv/wait.txt"}},
    {"fallback-service", {"", "rest"}, {"Rest", "a.b"}},
    {"fallback-after", {"0s", "1s", "1h"}, {"1", "2h"}},
    {"static-answers", {"", R"([{"path":"/healthz"}])"}, {"{}", "[1]", R"([{"path":"x"}])"}},
    {"liveness-path",
     {"", "/", "/live", "tcp", "1", "65535"},
     {"live", "/a b", "/a?b=c", "0", "65536", "080", "udp"}},
    {"liveness-period", {"1s", "10s", "1h"}, {"0s", "1500ms", "2h", "10"}},
    {"liveness-timeout", {"1s", "10s", "1h"}, {"0s", "1500ms", "2h", "10"}},
    {"liveness-threshold", {"1", "3", "1000"}, {"0", "1001", "-1", "1.5"}},
    {"readiness-path", {"", "/", "/healthz", "grpc", "grpc:a.B"}, {"healthz", "/a b", "/a?b=c"}},
};

const std::vector<Bounded> kSwitches = {
    {"headroom", {"square-root", "utilization"}, {"sqrt"}},
    {"waiting-percentage", {"0.3", "1%", "50"}, {"0", "51"}},
    {"early-scale-up", {"evidence", "window"}, {"panic"}},
    {"early-scale-up-z-score", {"0", "2.2", "20"}, {"-1", "21"}},
    {"cold-start-worth", {"0s", "60s", "24h"}, {"-1s", "25h"}},
    {"keep-alive", {"learned", "window", "constant"}, {"forever"}},
    {"idle-clock", {"1s", "5m", "24h"}, {"0s", "25h"}},
    {"first-replicas", {"for-waiting", "one"}, {"all"}},
};

TEST(RevisionSchema, RejectsValuesOutOfTheBoundsOfEverySetting) {
  std::vector<Bounded> cases = kNumbers;
  cases.insert(cases.end(), kSwitches.begin(), kSwitches.end());
  std::set<std::string> covered;
  for (const Bounded& each : cases) {
    covered.insert(each.key);
    for (const auto& value : each.valid) EXPECT_TRUE(takes(each.key, value)) << each.key << value;
    for (const auto& value : each.rejected) {
      EXPECT_FALSE(takes(each.key, value)) << each.key << " " << value;
    }
  }
  for (const Declaration& declaration : revision_schema().declarations()) {
    EXPECT_TRUE(covered.contains(declaration.name)) << declaration.name << " has no case";
  }
}

/// "/run/secrets/token\0.html" ends with .html, and the system would open the token.
TEST(RevisionSchema, TakesNoTextWithANul) {
  for (const Declaration& declaration : revision_schema().declarations()) {
    for (const char* const end : {"", ".html", "\"}]"}) {
      EXPECT_FALSE(takes(declaration.name, "/a" + std::string(1, '\0') + end)) << declaration.name;
    }
  }
}

/// An infinite product of two settings ended the autoscaler.
TEST(RevisionSchema, EveryNumberHasAMaximum) {
  for (const Declaration& declaration : revision_schema().declarations()) {
    const bool is_number = declaration.kind == Kind::kNumber ||
                           declaration.kind == Kind::kPercent || declaration.kind == Kind::kInteger;
    EXPECT_TRUE(!is_number || declaration.bounds.max) << declaration.name;
  }
}

TEST(RevisionSchema, TakesNoTextThatIsLargerThanAPersonWrites) {
  const auto answers = [](int bytes) {
    return R"([{"path":"/a","body":")" + std::string(static_cast<std::size_t>(bytes), 'x') +
           R"("}])";
  };
  EXPECT_TRUE(takes("static-answers", answers(4000)));
  EXPECT_FALSE(takes("static-answers", answers(64 * 1024)));
}

TEST(RevisionSchema, NamesTheValidRangeInTheError) {
  EXPECT_EQ(
      problems(revision_schema().apply({flags({{"target", "0"},
                                               {"window", "1s"},
                                               {"target-burst-capacity", "-3"},
                                               {"max-scale-up-rate", "1"},
                                               {"queue-bytes", "1"}})})),
      (Strings{"--target: \"0\": want a number from 0.01 to 1000000000",
               "--window: \"1s\": want a duration (90s, 1m30s) from 2s to 1h, in whole seconds",
               "--target-burst-capacity: \"-3\": want a number from 0 to 1000000000, or -1",
               "--max-scale-up-rate: \"1\": want a number > 1 and <= 1000000000",
               "--queue-bytes: \"1\": want an amount of memory (64Mi, 1Gi) from 64Ki to "
               "64Gi"}));
}

TEST(RevisionSchema, KnowsKnativesSpellings) {
  const auto settings = revision_schema().apply(
      {file({{"autoscaling.knative.dev/target", "12"},
             {"autoscaling.knative.dev/minScale", "1"},
             {"autoscaling.knative.dev/max-scale", "4"},
             {"initialScale", "2"},
             {"stable-window", "30s"},
             {"container-concurrency-target-percentage", "80"},
             {"containerConcurrency", "20"},
             {"timeoutSeconds", "120"},
             {"revision-idle-timeout-seconds", "60"},
             {"serving.knative.dev/progress-deadline", "600s"},
             {"autoscaling.knative.dev/panicThresholdPercentage", "150"}})});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  RevisionSettings expected;
  expected.target = 12;
  expected.min_scale = 1;
  expected.max_scale = 4;
  expected.initial_scale = 2;
  expected.window = 30s;
  expected.target_utilization_percentage = 80;
  expected.container_concurrency = 20;
  expected.request_timeout = 120s;
  expected.idle_timeout = 60s;
  expected.progress_deadline = 600s;
  expected.panic_threshold_percentage = 150;
  EXPECT_EQ(*settings, expected);
}

// knative.md 7.2, case 36: a limit of 12, 80 % for the cluster, 75 % for the revision.
TEST(RevisionSchema, PrefersTheUtilizationOfTheRevisionToThatOfTheCluster) {
  const auto settings = revision_schema().apply(
      {file({{"container-concurrency-target-percentage", "80"}}),
       flags({{"container-concurrency", "12"}, {"target-utilization-percentage", "75"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_DOUBLE_EQ(settings->effective_target(), 9);
  EXPECT_DOUBLE_EQ(settings->total_target(), 12);
}

TEST(RevisionRules, RejectSettingsThatContradictEachOther) {
  const auto refused = [](Pairs pairs) {
    return problems(revision_schema().apply({flags(pairs)}));
  };
  EXPECT_EQ(refused({{"min-scale", "3"}, {"max-scale", "2"}}),
            (Strings{"--min-scale: \"3\" together with max-scale \"2\" (--max-scale): want "
                     "min-scale at most max-scale, or max-scale 0 (no limit)"}));
  EXPECT_EQ(refused({{"initial-scale", "3"}, {"max-scale", "2"}}).size(), 1U);
  EXPECT_EQ(refused({{"activation-scale", "3"}, {"min-scale", "4"}}).size(), 1U);
  EXPECT_EQ(refused({{"activation-scale", "3"}, {"max-scale", "2"}}).size(), 1U);
  EXPECT_EQ(
      refused({{"profile", "knative"}, {"window", "5s"}}),
      (Strings{"--window: \"5s\" together with profile \"knative\" (--profile): want a window "
               "of at least 6s under profile knative"}));
  EXPECT_EQ(refused({{"profile", "knative"}, {"idle-time", "2h"}}).size(), 1U);
  EXPECT_EQ(refused({{"revision-response-start-timeout", "301s"}}).size(), 1U);
  EXPECT_EQ(refused({{"revision-idle-timeout", "301s"}}).size(), 1U);
}

TEST(RevisionRules, AcceptTheLimitsOfARule) {
  const auto fine = [](Pairs pairs) { return revision_schema().apply({flags(pairs)}).has_value(); };
  EXPECT_TRUE(fine({{"min-scale", "2"}, {"max-scale", "2"}}));
  EXPECT_TRUE(fine({{"min-scale", "3"}, {"max-scale", "0"}}));
  EXPECT_TRUE(fine({{"initial-scale", "2"}, {"max-scale", "2"}}));
  EXPECT_TRUE(fine({{"activation-scale", "3"}, {"min-scale", "3"}, {"max-scale", "3"}}));
  EXPECT_TRUE(fine({{"profile", "knative"}, {"window", "6s"}}));
  EXPECT_TRUE(fine({{"profile", "knative"}, {"idle-time", "1h"}}));
  EXPECT_TRUE(fine({{"revision-response-start-timeout", "300s"}}));
  EXPECT_TRUE(fine({{"revision-idle-timeout", "1h"}, {"revision-timeout", "0s"}}));
}

TEST(OneMachine, StartsAtZeroWithTargetTenAndUpToEightReplicas) {
  const RevisionSettings settings = one_machine_settings();
  EXPECT_EQ(settings.target, 10);
  EXPECT_EQ(settings.max_scale, 8);
  EXPECT_EQ(settings.initial_scale, 0);
}

TEST(RevisionDefaults, HaveMemoryForAllQueuedRequests) {
  const RevisionSettings settings;
  EXPECT_LE(settings.queue_depth * kibibytes(4).value, settings.queue_bytes.value);
}

Layer as_layer(const RevisionSettings& settings) {
  Layer layer;
  for (const auto& [name, text] : revision_schema().texts(settings)) {
    layer.push_back(flag(name, text));
  }
  return layer;
}

RC_GTEST_PROP(RevisionSchema, ReadsBackWhateverItPrints, ()) {
  using rc::gen::inRange;
  RevisionSettings settings;
  settings.container_concurrency = *inRange(0, 1001);
  if (*rc::gen::arbitrary<bool>()) settings.target = *inRange(1, 100'000) / 100.0;
  settings.profile = *rc::gen::element(Profile::kBellows, Profile::kKnative, Profile::kSeed);
  set_rules_of(settings.profile, settings.rules);
  settings.target_utilization_percentage = *inRange(100, 10'001) / 100.0;
  settings.max_scale_up_rate = *rc::gen::element(2.0, 10.0, 1000.0);
  settings.rules.keep_alive = *rc::gen::element(KeepAlive::kWindow, KeepAlive::kConstant);
  settings.window = std::chrono::seconds(*inRange(6, 3601));
  settings.panic_window_percentage = *inRange(100, 10'001) / 100.0;
  settings.target_burst_capacity = *inRange(-1, 1000);
  settings.min_scale = *inRange(0, 100);
  settings.max_scale = settings.min_scale + *inRange(1, 100);
  settings.enable_scale_to_zero = *rc::gen::arbitrary<bool>();
  settings.scale_to_zero_grace_period = std::chrono::milliseconds(*inRange(1, 3'600'000));
  settings.request_timeout = Duration(*inRange<std::int64_t>(300'000'000'000, 86'400'000'000'000));
  settings.queue_depth = *inRange(1, 1'000'001);
  settings.queue_bytes = Bytes{*inRange<std::int64_t>(65'536, 68'719'476'737)};
  settings.readiness_path = *rc::gen::element<std::string>("", "/", "/healthz");

  const auto read = revision_schema().apply({as_layer(settings)});

  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == settings);
}

}  // namespace
}  // namespace bellows::config
