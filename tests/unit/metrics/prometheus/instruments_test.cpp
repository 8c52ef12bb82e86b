#include "metrics/prometheus/instruments.hpp"
#include "metrics/prometheus/revision_labels.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "metrics/prometheus/process_metrics.hpp"

namespace bellows::metrics::prometheus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Instruments, ACounterIsShownWithHelpAndType) {
  Registry registry("1.2.3");
  Counter served = registry.counter("bellows_requests_total", "Requests served.",
                                    {{"revision", "web"}, {"code_class", "2xx"}});
  served.add();
  served.add(41);
  EXPECT_THAT(registry.expose(),
              HasSubstr("# HELP bellows_requests_total Requests served.\n"
                        "# TYPE bellows_requests_total counter\n"
                        "bellows_requests_total{code_class=\"2xx\",revision=\"web\"} 42\n"));
}

TEST(Instruments, ACounterContinuesBetweenTwoScrapes) {
  Registry registry("1");
  Counter served = registry.counter("bellows_requests_total", "Requests served.");
  served.add(2);
  registry.expose();
  served.add(3);
  EXPECT_THAT(registry.expose(), HasSubstr("\nbellows_requests_total 5\n"));
  EXPECT_THAT(registry.expose(), HasSubstr("\nbellows_requests_total 5\n"));
}

TEST(Instruments, AGaugeShowsItsLastValue) {
  Registry registry("1");
  Gauge wanted = registry.gauge("bellows_desired_replicas", "Replicas wanted.");
  wanted.set(7);
  wanted.add(-2.5);
  EXPECT_THAT(registry.expose(), HasSubstr("# TYPE bellows_desired_replicas gauge\n"
                                           "bellows_desired_replicas 4.5\n"));
}

TEST(Instruments, AHistogramCountsUpToEachBoundAndKeepsItsSum) {
  Registry registry("1");
  Histogram waits = registry.histogram("bellows_wait_seconds", "Time in the queue.", {0.1, 1});
  for (const double seconds : {0.05, 0.1, 0.5, 30.0}) waits.observe(seconds);
  registry.expose();
  waits.observe(0.5);
  EXPECT_THAT(registry.expose(), HasSubstr("bellows_wait_seconds_count 5\n"
                                           "bellows_wait_seconds_sum 31.15\n"
                                           "bellows_wait_seconds_bucket{le=\"0.1\"} 2\n"
                                           "bellows_wait_seconds_bucket{le=\"1\"} 4\n"
                                           "bellows_wait_seconds_bucket{le=\"+Inf\"} 5\n"));
}

TEST(Instruments, TheSameNameAndLabelsAreTheSameSeries) {
  Registry registry("1");
  Counter one = registry.counter("bellows_stats_total", "Stats.", {{"result", "booked"}});
  Counter two = registry.counter("bellows_stats_total", "Stats.", {{"result", "booked"}});
  one.add();
  two.add();
  EXPECT_EQ(one.value(), 2U);
}

TEST(Instruments, TheSeriesOfARevisionThatWentAwayLeaveTheText) {
  Registry registry("1");
  Gauge web = registry.gauge("bellows_desired_replicas", "Replicas.", {{"revision", "web"}});
  Counter web_requests = registry.counter("bellows_requests_total", "Requests.");
  std::optional<Gauge> api =
      registry.gauge("bellows_desired_replicas", "Replicas.", {{"revision", "api"}});
  EXPECT_THAT(registry.expose(), HasSubstr("revision=\"api\""));
  api.reset();
  const std::string text = registry.expose();
  EXPECT_THAT(text, Not(HasSubstr("revision=\"api\"")));
  EXPECT_THAT(text, HasSubstr("revision=\"web\""));
}

TEST(Instruments, ANameWithoutSeriesIsNotShownAndMayComeBack) {
  Registry registry("1");
  { const Gauge gone = registry.gauge("bellows_pods", "Pods."); }
  EXPECT_THAT(registry.expose(), Not(HasSubstr("bellows_pods")));
  Gauge back = registry.gauge("bellows_pods", "Pods.");
  back.set(3);
  EXPECT_THAT(registry.expose(), HasSubstr("bellows_pods 3\n"));
}

TEST(Instruments, AHandleMayOutliveItsRegistry) {
  std::optional<Registry> registry("1");
  Counter served = registry->counter("bellows_requests_total", "Requests.");
  registry.reset();
  served.add();
  EXPECT_EQ(served.value(), 1U);
}

TEST(InstrumentsListed, AreReadAgainForEachScrape) {
  Registry registry("1");
  std::map<std::string, int> pods{{"api", 2}, {"web", 3}};
  const Listing listing = registry.list_gauges("bellows_pods", "Pods.", [&](const AddSeries& add) {
    for (const auto& [revision, count] : pods) add({{"revision", revision}}, count);
  });
  EXPECT_THAT(registry.expose(), HasSubstr("# HELP bellows_pods Pods.\n"
                                           "# TYPE bellows_pods gauge\n"
                                           "bellows_pods{revision=\"api\"} 2\n"
                                           "bellows_pods{revision=\"web\"} 3\n"));
  pods = {{"web", 4}};
  const std::string text = registry.expose();
  EXPECT_THAT(text, HasSubstr("bellows_pods{revision=\"web\"} 4\n"));
  EXPECT_THAT(text, Not(HasSubstr("api")));
}

TEST(InstrumentsListed, ACounterIsShownAsOne) {
  Registry registry("1");
  const Listing listing =
      registry.list_counters("bellows_decisions_total", "Decisions.", [](const AddSeries& add) {
        add({{"reason", "target"}}, 7);
      });
  EXPECT_THAT(registry.expose(), HasSubstr("# TYPE bellows_decisions_total counter\n"
                                           "bellows_decisions_total{reason=\"target\"} 7\n"));
}

TEST(InstrumentsListed, AreWrittenAsOthersAre) {
  Registry registry("1");
  const Listing listing = registry.list_gauges("bellows_load", "Load.", [](const AddSeries& add) {
    add({{"a", "1"}, {"b", "x\"y\\z\n"}}, 0.1);
    add({}, 1e21);
    add({}, std::numeric_limits<double>::infinity());
    add({}, -std::numeric_limits<double>::infinity());
    add({}, std::numeric_limits<double>::quiet_NaN());
  });
  EXPECT_THAT(registry.expose(), HasSubstr("\nbellows_load{a=\"1\",b=\"x\\\"y\\\\z\\n\"} 0.1\n"
                                           "bellows_load 1e+21\n"
                                           "bellows_load +Inf\n"
                                           "bellows_load -Inf\n"
                                           "bellows_load NaN\n"));
}

TEST(InstrumentsListed, HaveNoLabelsWithoutAValue) {
  Registry registry("1");
  const Listing listing = registry.list_gauges("bellows_pods", "Pods.", [](const AddSeries& add) {
    add({{"namespace", ""}, {"revision", "web"}}, 1);
    add({{"namespace", ""}}, 2);
  });
  EXPECT_THAT(registry.expose(), HasSubstr("\nbellows_pods{revision=\"web\"} 1\nbellows_pods 2\n"));
}

TEST(RevisionLabels, HaveTheNamespaceWhereThereIsOne) {
  EXPECT_EQ(revision_labels(RevisionId("web"), RevisionId("web-00002")),
            (Labels{{"revision", "web-00002"}, {"service", "web"}}));
  EXPECT_EQ(revision_labels(RevisionId("shop/web"), RevisionId("shop/web")),
            (Labels{{"namespace", "shop"}, {"revision", "web"}, {"service", "web"}}));
}

TEST(InstrumentsListed, AreGoneWithTheirHandleAndMayComeBack) {
  Registry registry("1");
  const auto list = [&] {
    return registry.list_gauges("bellows_pods", "Pods.", [](const AddSeries& add) { add({}, 1); });
  };
  Listing listing = list();
  listing.reset();
  EXPECT_THAT(registry.expose(), Not(HasSubstr("bellows_pods")));
  listing = list();
  EXPECT_THAT(registry.expose(), HasSubstr("\nbellows_pods 1\n"));
}

TEST(InstrumentsListed, AListOfNothingIsNotShown) {
  Registry registry("1");
  const Listing listing = registry.list_gauges("bellows_pods", "Pods.", [](const AddSeries&) {});
  EXPECT_THAT(registry.expose(), Not(HasSubstr("bellows_pods")));
}

TEST(Instruments, LabelValuesAreEscaped) {
  Registry registry("1");
  const Gauge odd = registry.gauge("bellows_pods", "Pods.", {{"revision", "a\"b\\c\nd"}});
  EXPECT_THAT(registry.expose(), HasSubstr(R"(revision="a\"b\\c\nd")"));
}

TEST(InstrumentsDeathTest, NamesAreFixedInCodeSoABadOneIsOurDefect) {
  Registry registry("1");
  EXPECT_DEATH(registry.counter("bellows_requests", "Requests."), "ends in _total");
  EXPECT_DEATH(registry.gauge("bellows-pods", "Pods."), "metric names are fixed in code");
  EXPECT_DEATH(registry.gauge("bellows_pods", "Pods.", {{"a-b", "c"}}), "label names are fixed");
  const Gauge pods = registry.gauge("bellows_pods", "Pods.");
  EXPECT_DEATH(registry.histogram("bellows_pods", "Pods.", {1}), "one name has one kind");
}

TEST(Exposition, ShowsTheVersionAndTheProcess) {
  Registry registry("1.2.3");
  const std::string text = registry.expose();
  EXPECT_THAT(text, HasSubstr("bellows_build_info{version=\"1.2.3\"} 1\n"));
  for (const char* type :
       {"process_resident_memory_bytes gauge", "process_cpu_seconds_total counter",
        "process_open_fds gauge", "process_start_time_seconds gauge"}) {
    EXPECT_THAT(text, HasSubstr("# TYPE " + std::string(type) + "\n"));
  }
}

/// What `promtool check metrics` asks of every family, as far as it applies here.
TEST(Exposition, EveryFamilyHasHelpTypeAndAFittingName) {
  Registry registry("1");
  const Counter counter = registry.counter("bellows_requests_total", "Requests.");
  const Gauge gauge = registry.gauge("bellows_pods", "Pods.");
  Histogram histogram =
      registry.histogram("bellows_wait_seconds", "Waits.", latency_bounds(), {{"revision", "web"}});
  histogram.observe(0.2);
  std::istringstream text(registry.expose());
  std::map<std::string, std::string> types;
  std::map<std::string, bool> helped;
  for (std::string line; std::getline(text, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, std::regex("# HELP (\\S+) (.+)"))) {
      helped[parts[1]] = true;
    } else if (std::regex_match(line, parts, std::regex("# TYPE (\\S+) (\\S+)"))) {
      types[parts[1]] = parts[2];
    } else {
      ASSERT_TRUE(std::regex_match(
          line, parts, std::regex(R"re(([a-z_]+?)(_bucket|_sum|_count)?(\{.*\})? \S+)re")))
          << line;
      const bool is_known =
          types.contains(parts[1]) || types.contains(parts[1].str() + parts[2].str());
      EXPECT_TRUE(is_known) << line;
    }
  }
  EXPECT_EQ(types.size(), 8U);
  for (const auto& [name, type] : types) {
    EXPECT_TRUE(helped[name]) << name;
    EXPECT_EQ(name.ends_with("_total"), type == "counter") << name;
  }
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  const ProcessUsage before = read_process_usage();
  EXPECT_GT(before.resident_memory_bytes, 1e6);
  EXPECT_LT(before.resident_memory_bytes, 1e10);
  EXPECT_GE(before.cpu_seconds, 0);
  EXPECT_GT(before.start_time_seconds, 1.6e9);
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(read_process_usage().open_fds, before.open_fds + 1);
  close(fd);
}

}  // namespace
}  // namespace bellows::metrics::prometheus
