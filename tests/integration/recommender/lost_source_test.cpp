// Sources of every kind that stop answering, beside one that goes on: who stopped is named, what
// was said stays, nothing else stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "http/io/client.hpp"
#include "http/io/service_server.hpp"
#include "recommender/service/file_source.hpp"
#include "recommender/service/prometheus_source.hpp"
#include "recommender/service/recommender_service.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Of the manual clock when it begins, in seconds since 2026, as files tell it.
constexpr int kBegin = 1'790'000'000 + 86'400 - 1'767'225'600;
constexpr const char* kLine = R"({"at":60,"workload":"%","container":"app","cpu-cores":0.1,)"
                              R"("memory-bytes":500000000})";

std::string line_of(const std::string& workload, int at) {
  std::string line = kLine;
  line.replace(line.find('%'), 1, workload);
  line.replace(line.find("60"), 2, std::to_string(kBegin + at));
  return line + "\n";
}

/// A recommender with the workload "other" from a file that goes on, and a second source.
class LostSourceTest : public testing::Test {
 protected:
  LostSourceTest() {
    RecommenderOptions options;
    options.policies.policy = config::RecommenderPolicy::kVpa;
    service_ = std::make_unique<RecommenderService>(io_, clock_, registry_, options);
    write(other_, line_of("other", 60));
    service_->add_source(std::make_unique<FileSource>(other_), Duration::zero());
  }
  void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::app) << text;
  }
  void tick() {
    clock_.advance(60s);
    test::run_task<void>(io_, [&] { return service_->tick(); });
  }
  /// "other" hears of one more sample, whatever happens to the rest.
  void beat_with_other() {
    write(other_, line_of("other", 60 + 60 * ++beats_));
    const std::uint64_t recorded = service_->store().counters().recorded;
    tick();
    EXPECT_GT(service_->store().counters().recorded, recorded) << "the other source goes on";
  }
  std::optional<Amounts> target_of(const std::string& workload) const {
    const Workload* found = service_->store().find(RevisionId(workload));
    const Recommendation* recommendation =
        found ? found->chosen().find(ContainerName("app")) : nullptr;
    return recommendation && recommendation->sizes ? std::optional(recommendation->sizes->target)
                                                   : std::nullopt;
  }
  std::string page() {
    http::ServiceServer server(io_);
    service_->add_routes(server);
    const Endpoint at = server.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
    auto answer = test::run_task<Result<http::Response>>(
        io_, [&] { return http::fetch(at, "GET", "/v1/recommendations"); });
    test::run_task<void>(io_, [&] { return server.stop(clock_.now()); });
    return answer.value_or(http::Response()).body;
  }
  std::string metrics() {
    service_->refresh_metrics();
    return registry_.expose();
  }

  test::TemporaryFolder folder_;
  const std::string other_ = folder_.path("other.jsonl");
  const std::string usage_ = folder_.path("usage.jsonl");
  http::net::io_context io_;
  test::ManualClock clock_;
  metrics::prometheus::Registry registry_{"test"};
  std::unique_ptr<RecommenderService> service_;
  int beats_ = 0;
};

TEST_F(LostSourceTest, AFileThatIsCutOff) {
  write(usage_, line_of("web", 60));
  service_->add_source(std::make_unique<FileSource>(usage_), Duration::zero());
  beat_with_other();
  const auto before = target_of("web");
  ASSERT_TRUE(before.has_value());
  std::filesystem::resize_file(usage_, 10);
  beat_with_other();
  EXPECT_THAT(page(), HasSubstr("it has 10 bytes, want no less than the "));
  EXPECT_THAT(metrics(), HasSubstr("source_up{source=\"file " + usage_ + "\"} 0"));
  EXPECT_EQ(target_of("web"), before);
  beat_with_other();
  EXPECT_THAT(metrics(), HasSubstr("source_up{source=\"file " + usage_ + "\"} 1"));
  EXPECT_EQ(target_of("web"), before);
}

TEST_F(LostSourceTest, AFileThatIsRemovedAndComesBack) {
  write(usage_, line_of("web", 60));
  service_->add_source(std::make_unique<FileSource>(usage_), Duration::zero());
  beat_with_other();
  const auto before = target_of("web");
  ASSERT_TRUE(before.has_value());
  std::filesystem::remove(usage_);
  beat_with_other();
  EXPECT_THAT(page(), HasSubstr("file " + usage_ + ": cannot be read: No such file"));
  EXPECT_EQ(target_of("web"), before);
  write(usage_, line_of("web", 60) + line_of("web", 600));
  beat_with_other();
  EXPECT_THAT(metrics(), HasSubstr("source_up{source=\"file " + usage_ + "\"} 1"));
  EXPECT_EQ(target_of("web"), before);
}

TEST_F(LostSourceTest, APrometheusThatEnds) {
  http::ServiceServer prometheus(io_);
  prometheus.route("GET", "/api/v1/query_range",
                   [](http::Request request) -> http::Awaitable<http::Response> {
                     const bool is_cpu = request.parameter("query").starts_with("rate");
                     http::Response response;
                     response.body = R"({"status":"success","data":{"resultType":"matrix",)"
                                     R"("result":[{"metric":{"pod_name":"web-0","name":"app"},)"
                                     R"("values":[[)" +
                                     request.parameter("end") + ",\"" +
                                     (is_cpu ? "0.1" : "500000000") + "\"]]}]}}";
                     co_return response;
                   });
  config::PrometheusSettings settings;
  settings.endpoint = prometheus.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  service_->add_source(std::make_unique<PrometheusSource>(settings, 60s), Duration::zero());
  beat_with_other();
  const auto before = target_of("web");
  ASSERT_TRUE(before.has_value());
  test::run_task<void>(io_, [&] { return prometheus.stop(TimePoint()); });
  beat_with_other();
  const std::string name = "prometheus " + to_string(settings.endpoint);
  EXPECT_THAT(page(), HasSubstr(name + ": cannot be read"));
  EXPECT_THAT(metrics(), HasSubstr("source_up{source=\"" + name + "\"} 0"));
  EXPECT_EQ(target_of("web"), before);
}

}  // namespace
}  // namespace bellows::recommender
