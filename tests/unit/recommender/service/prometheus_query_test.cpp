#include "recommender/service/prometheus_query.hpp"

#include <gtest/gtest.h>
// rapidcheck needs gtest before it
#include <rapidcheck/gtest.h>

#include <cmath>
#include "tests/unit/recommender/service/mutated_text.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;

const config::PrometheusSettings kDefaults;

WallTime unix_seconds(std::int64_t seconds) {
  return WallTime(std::chrono::seconds(seconds));
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
    i += 2;
  }
  return plain;
}

const QueryRange kEightDays{unix_seconds(1'700'000'000), unix_seconds(1'700'691'200), 1h};

TEST(RangeQuery, IsThatOfVpaWithTheLabelsOfAnyKubernetes) {
  EXPECT_EQ(decoded(range_query(kDefaults, Resource::kCpu, kEightDays)),
            "/api/v1/query_range?query=rate(container_cpu_usage_seconds_total{"
            "job=\"kubernetes-cadvisor\", pod=~\".+\", container!=\"POD\", container!=\"\"}[3600s])"
            " or rate(container_cpu_usage_seconds_total{"
            "job=\"kubernetes-cadvisor\", pod_name=~\".+\", name!=\"POD\", name!=\"\"}[3600s])"
            "&start=1700000000.000&end=1700691200.000&step=3600s");
  EXPECT_EQ(decoded(range_query(kDefaults, Resource::kMemory, kEightDays)),
            "/api/v1/query_range?query=container_memory_working_set_bytes{"
            "job=\"kubernetes-cadvisor\", pod=~\".+\", container!=\"POD\", container!=\"\"}"
            " or container_memory_working_set_bytes{"
            "job=\"kubernetes-cadvisor\", pod_name=~\".+\", name!=\"POD\", name!=\"\"}"
            "&start=1700000000.000&end=1700691200.000&step=3600s");
}

TEST(RangeQuery, OfAnyJobWithAShortStepRatesOverAMinute) {
  config::PrometheusSettings settings;
  settings.job.clear();
  EXPECT_EQ(
      decoded(range_query(settings, Resource::kCpu, {unix_seconds(10), unix_seconds(70), 15s})),
      "/api/v1/query_range?query=rate(container_cpu_usage_seconds_total{"
      "pod=~\".+\", container!=\"POD\", container!=\"\"}[60s])"
      " or rate(container_cpu_usage_seconds_total{pod_name=~\".+\", name!=\"POD\", "
      "name!=\"\"}[60s])"
      "&start=10.000&end=70.000&step=15s");
}

TEST(RangeQuery, IsATargetThatHttpTakes) {
  const std::string target = range_query(kDefaults, Resource::kCpu, kEightDays);
  EXPECT_EQ(target.find_first_of(" \"{}<>\\^`|"), target.npos) << target;
}

std::string answer(const std::string& result) {
  return R"({"status":"success","data":{"resultType":"matrix","result":[)" + result + "]}}";
}

std::string answer_error(const std::string& json) {
  const auto parsed = parse_range_response(kDefaults, Resource::kCpu, json);
  return parsed ? "accepted" : to_string(parsed.error());
}

TEST(RangeResponse, IsOneObservationPerPointWithItsTime) {
  const auto seen =
      parse_range_response(kDefaults, Resource::kCpu,
                           answer(R"({"metric":{"namespace":"shop","pod_name":"web-0","name":"app"},
                 "values":[[1700000000,"0.25"],[1700000060.5,"1e-3"]]})"));
  ASSERT_TRUE(seen.has_value()) << to_string(seen.error());
  ASSERT_EQ(seen->size(), 2u);
  const Observation& second = seen->at(1);
  EXPECT_EQ(second.workload, RevisionId("shop/web"));
  EXPECT_EQ(second.replica, PodName("web-0"));
  EXPECT_EQ(second.container, ContainerName("app"));
  EXPECT_EQ(second.at, unix_seconds(1'700'000'060) + 500ms);
  const Usage& usage = std::get<Usage>(second.what);
  EXPECT_EQ(usage.at, second.at);
  EXPECT_EQ(usage.resource, Resource::kCpu);
  EXPECT_EQ(usage.amount, 0.001);
}

TEST(RangeResponse, ASeriesMayHaveTheLabelsOfACurrentKubelet) {
  const auto seen = parse_range_response(
      kDefaults, Resource::kCpu,
      answer(R"({"metric":{"namespace":"shop","pod":"web-0","container":"app","name":"2f7a"},
                 "values":[[1,"1"]]})"));
  ASSERT_TRUE(seen.has_value()) << to_string(seen.error());
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ(seen->at(0).replica, PodName("web-0"));
  EXPECT_EQ(seen->at(0).container, ContainerName("app"));
}

TEST(RangeResponse, NotANumberIsUnknownNotZero) {
  const auto seen = parse_range_response(kDefaults, Resource::kMemory,
                                         answer(R"({"metric":{"pod_name":"web-0","name":"app"},
                 "values":[[1,"NaN"],[2,"+Inf"],[3,"-Inf"],[4,"7"]]})"));
  // "+Inf" with its sign is Prometheus' own spelling.
  ASSERT_TRUE(seen.has_value()) << to_string(seen.error());
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ(std::get<Usage>(seen->at(0).what).amount, 7);
}

TEST(RangeResponse, SeriesWithoutPodOrContainerArePassedOver) {
  const auto seen = parse_range_response(kDefaults, Resource::kCpu,
                                         answer(R"({"metric":{"id":"/"},"values":[[1,"1"]]},
                                                 {"metric":{"pod_name":"a"},"values":[]})"));
  ASSERT_TRUE(seen.has_value());
  EXPECT_TRUE(seen->empty());
}

TEST(RangeResponse, ALabelMayNameTheWorkload) {
  config::PrometheusSettings settings;
  settings.workload_label = "app";
  const auto seen = parse_range_response(
      settings, Resource::kCpu,
      answer(R"({"metric":{"namespace":"n","app":"front","pod_name":"x","name":"c"},
                 "values":[[1,"1"]]})"));
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->at(0).workload, RevisionId("n/front"));
}

TEST(RangeResponse, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(answer_error("<html>"), "the response: missing or wrong, want a JSON object");
  EXPECT_EQ(answer_error(R"({"status":"error","errorType":"bad_data","error":"parse error"})"),
            "bad_data: parse error");
  EXPECT_EQ(answer_error(R"({"status":"success","data":{"resultType":"vector","result":[]}})"),
            "data.resultType: missing or wrong, want matrix");
  EXPECT_EQ(answer_error(answer(R"({"metric":{"pod_name":"a","name":"c"}})")),
            "data.result[0].values: missing or wrong, want a list");
  EXPECT_EQ(answer_error(answer(R"({"metric":{"pod_name":"a","name":"c"},"values":[[1]]})")),
            "data.result[0].values: missing or wrong, want pairs of time and \"number\"");
  EXPECT_EQ(
      answer_error(answer(R"({"metric":{"pod_name":"a","name":"c"},"values":[[1e300,"1"]]})")),
      "data.result[0].values: missing or wrong, want a time");
}

TEST(WorkloadOf, CutsOffWhatTheControllerAppended) {
  struct Case {
    const char* pod;
    const char* workload;
  };
  for (const Case& each :
       {Case{"web-5d8f9c7b6d-x2x9z", "n/web"}, Case{"my-web-7c9f8d-x2x9z", "n/my-web-7c9f8d"},
        Case{"db-0", "n/db"}, Case{"db-12", "n/db"}, Case{"agent-x2x9z", "n/agent"},
        Case{"lonely", "n/lonely"}, Case{"web-backend", "n/web-backend"}, Case{"-0", "n/-0"}}) {
    EXPECT_EQ(workload_of("n", each.pod), RevisionId(each.workload)) << each.pod;
  }
  EXPECT_EQ(workload_of("", "db-0"), RevisionId("db"));
}

RC_GTEST_PROP(RangeResponse, WithChangedBytesIsAnErrorOrHasFiniteSamples, ()) {
  const std::string text = mutated(answer(
      R"({"metric":{"pod_name":"web-0","name":"app","namespace":"shop"},"values":[[1700000000.123,"0.25"],[1700000060,"+Inf"]]})"));
  const auto found = parse_range_response(kDefaults, Resource::kCpu, text);
  if (!found) {
    RC_ASSERT(found.error().kind() == ErrorKind::kMalformed ||
              found.error().kind() == ErrorKind::kUnavailable);
    return;
  }
  for (const Observation& each : *found) {
    RC_ASSERT(!each.replica.empty() && !each.container.empty());
    RC_ASSERT(std::isfinite(std::get<Usage>(each.what).amount));
    RC_ASSERT(std::get<Usage>(each.what).at == each.at);
  }
}

}  // namespace
}  // namespace bellows::recommender
