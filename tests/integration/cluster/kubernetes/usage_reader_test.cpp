// What pods use, from the metrics API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/timestamp_text.hpp"
#include "cluster/kubernetes/io/usage_reader.hpp"
#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"

namespace bellows::test {
namespace {

using cluster::UsageReader;
using cluster::UsageReading;
using testing::HasSubstr;
using testing::StartsWith;

const kubernetes::Resource kMetrics{"metrics.k8s.io", "v1beta1", "pods"};

/// A server with a metrics API, and a reader that reads it once.
class MetricsApi : public testing::Test {
 protected:
  MetricsApi() {
    server_.store().add_kind({.resource = kMetrics,
                              .kind = "PodMetrics",
                              .is_namespaced = true,
                              .has_status = false,
                              .has_scale = false,
                              .other_versions = {}});
  }
  void measure(const std::string& name, const std::string& cpu) {
    const std::string now = timestamp_text(sys::system_clock().wall_now());
    server_.store().put(kMetrics,
                        R"({"kind":"PodMetrics","metadata":{"namespace":"shop","name":")" + name +
                            R"("},"timestamp":")" + now +
                            R"(","containers":[{"name":"app","usage":{"cpu":")" + cpu +
                            R"(","memory":"8Mi"}}]})");
  }
  UsageReading read_with(const kubernetes::ServerFeatures& features) {
    std::optional<UsageReading> found;
    UsageReader reader(sys::system_clock(), client_, "",
                       [&](UsageReading reading) { found = std::move(reading); });
    reader.use(features);
    http::TaskGroup tasks(io_);
    tasks.spawn("usage", [&] { return reader.run(); });
    EXPECT_TRUE(run_until(io_, [&] { return found.has_value(); }));
    run_task<void>(io_, [&]() -> http::Awaitable<void> {
      tasks.stop();
      co_await tasks.join(sys::system_clock().now() + std::chrono::seconds(5));
    });
    return found.value_or(UsageReading{});
  }
  UsageReading read() {
    kubernetes::ServerFeatures features;
    features.group_versions = {"metrics.k8s.io/v1beta1"};
    return read_with(features);
  }

  http::net::io_context io_;
  SeededRandom random_{7};
  FakeApiServer server_{io_, {}};
  kubernetes::ApiClient client_{io_, std::make_shared<OpenCredentials>(server_), random_};
};

TEST_F(MetricsApi, UsagesOfAllPodsComeInOneRequest) {
  measure("web-1", "100m");
  measure("web-2", "1");
  const UsageReading reading = read();
  EXPECT_EQ(reading.problem, "");
  ASSERT_EQ(reading.usages.size(), 2U);
  EXPECT_EQ(reading.usages.at("shop/web-1").cpu, Millicores{100});
  EXPECT_EQ(reading.usages.at("shop/web-2").memory, mebibytes(8));
  EXPECT_EQ(server_.count("GET /apis/metrics.k8s.io/v1beta1/pods"), 1U);
}

TEST_F(MetricsApi, AnAbsurdAmountCostsOnlyItsPod) {
  measure("web-1", "-5");
  measure("web-2", "1");
  const UsageReading reading = read();
  EXPECT_EQ(reading.problem, "");
  EXPECT_EQ(reading.usages.size(), 1U);
  EXPECT_TRUE(reading.usages.contains("shop/web-2"));
}

TEST_F(MetricsApi, AServerWithoutItIsNamed) {
  const UsageReading reading = read_with({});
  EXPECT_THAT(reading.problem, HasSubstr("no metrics.k8s.io/v1beta1"));
  EXPECT_EQ(server_.count("GET /apis/metrics.k8s.io/v1beta1/pods"), 0U);
}

TEST_F(MetricsApi, AFailureIsNamedWithItsRequest) {
  server_.stop();
  const UsageReading reading = read();
  EXPECT_THAT(reading.problem, StartsWith("the usage of pods cannot be read: list pods.metrics"));
  EXPECT_TRUE(reading.usages.empty());
}

}  // namespace
}  // namespace bellows::test
