// The source against a server that plays Prometheus.
#include "recommender/service/prometheus_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Seen = Result<std::vector<Observation>>;

constexpr WallTime kNow{std::chrono::seconds(1'790'000'000)};
constexpr Duration kInterval = 60700ms;  // asked for in whole seconds

class PrometheusSourceTest : public testing::Test {
 protected:
  PrometheusSourceTest() : server_(io_) {
    server_.route("GET", "/api/v1/query_range",
                  [this](http::Request request) -> http::Awaitable<http::Response> {
                    questions_.push_back(
                        request.parameter("query").substr(0, 9) + " " + request.parameter("start") +
                        " " + request.parameter("end") + " " + request.parameter("step"));
                    if (is_silent_) co_await http::sleep_for(1h);
                    http::Response response;
                    response.status = status_;
                    response.body = body_;
                    co_return response;
                  });
    settings_.endpoint = server_.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  }
  ~PrometheusSourceTest() override {
    test::run_task<void>(io_, [&] { return server_.stop(TimePoint()); });
  }
  Seen read(PrometheusSource& source, Duration after = {}) {
    return test::run_task<Seen>(io_, [&] { return source.read(kNow + after); });
  }

  http::net::io_context io_;
  http::ServiceServer server_;
  config::PrometheusSettings settings_;
  std::vector<std::string> questions_;
  bool is_silent_ = false;
  int status_ = 200;
  std::string body_ =
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{)"
      R"("pod_name":"web-0","name":"app"},"values":[[1789999000,"5"],[1789999060,"6"]]}]}})";
};

TEST_F(PrometheusSourceTest, FirstEightDaysByTheHourThenWhatCame) {
  PrometheusSource source(settings_, kInterval);
  const Seen history = read(source);
  ASSERT_TRUE(history.has_value()) << to_string(history.error());
  EXPECT_EQ(history->size(), 4u) << "CPU and memory";
  EXPECT_TRUE(std::ranges::is_sorted(*history, {}, &Observation::at));
  ASSERT_TRUE(read(source, 120s).has_value());
  EXPECT_THAT(questions_, testing::ElementsAre("rate(cont 1789308800.000 1790000000.000 3600s",
                                               "container 1789308800.000 1790000000.000 3600s",
                                               "rate(cont 1790000060.000 1790000120.000 60s",
                                               "container 1790000060.000 1790000120.000 60s"));
}

TEST_F(PrometheusSourceTest, NothingIsAskedBeforeTheNextPointIsDue) {
  PrometheusSource source(settings_, kInterval);
  ASSERT_TRUE(read(source).has_value());
  ASSERT_TRUE(read(source, 59s).has_value());
  EXPECT_EQ(questions_.size(), 2u);
}

TEST_F(PrometheusSourceTest, AfterAnOutageWhatItKeptIsMadeUpFor) {
  PrometheusSource source(settings_, kInterval);
  ASSERT_TRUE(read(source).has_value());
  status_ = 503;
  body_ = "<html>";
  const Seen rejected = read(source, 60s);
  ASSERT_FALSE(rejected.has_value());
  EXPECT_THAT(to_string(rejected.error()),
              HasSubstr("prometheus " + to_string(settings_.endpoint) + ": cannot be read"));
  EXPECT_THAT(to_string(rejected.error()), HasSubstr("status 503"));
  status_ = 200;
  body_ = R"({"status":"success","data":{"resultType":"matrix","result":[]}})";
  questions_.clear();
  ASSERT_TRUE(read(source, 300s).has_value());
  EXPECT_EQ(questions_.at(0), "rate(cont 1790000060.000 1790000300.000 60s");
}

TEST_F(PrometheusSourceTest, OneThatDoesNotAnswerIsGivenUpInTime) {
  settings_.history_timeout = 50ms;
  is_silent_ = true;
  PrometheusSource source(settings_, kInterval);
  const Seen seen = read(source);
  ASSERT_FALSE(seen.has_value());
  EXPECT_EQ(seen.error().kind(), ErrorKind::kTimeout);
}

TEST_F(PrometheusSourceTest, OneThatIsNotThereIsNamed) {
  settings_.endpoint.port = 1;
  PrometheusSource source(settings_, kInterval);
  const Seen seen = read(source);
  ASSERT_FALSE(seen.has_value());
  EXPECT_EQ(seen.error().kind(), ErrorKind::kRefused);
  EXPECT_EQ(seen.error().culprit(), "prometheus 127.0.0.1:1");
}

}  // namespace
}  // namespace bellows::recommender
