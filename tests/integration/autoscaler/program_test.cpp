// The program on real sockets: its pages, its stat stream, its end.
#include "autoscaler/service/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <sstream>
#include <vector>

#include "autoscaler/journal/decision_replay.hpp"
#include "http/io/client.hpp"
#include "http/io/task_group.hpp"
#include "metrics/stat_codec.hpp"
#include "tests/integration/autoscaler/scripted_cluster.hpp"
#include "tests/support/raw_stat.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::autoscaler::test {
namespace {

namespace json = boost::json;
using http::Awaitable;
using http::Response;
using testing::HasSubstr;

class AutoscalerProgram : public testing::Test {
 protected:
  AutoscalerProgram() {
    cluster::Revision web;
    web.id = RevisionId("web");
    web.settings.target = 10;
    web.settings.initial_scale = 0;
    cluster_.set(web);
    settings_.listen = Endpoint{.host = "127.0.0.1", .port = 0, .unix_path = {}};
    program_ = std::make_unique<Program>(io_, cluster_, sys::system_clock(), settings_);
    EXPECT_TRUE(program_->start());
  }
  ~AutoscalerProgram() override {
    program_->end();
    bellows::test::run_task<void>(io_, [&] { return program_->serve_until_end(); });
  }

  Response ask(const std::string& method, const std::string& path) {
    return bellows::test::run_task<Response>(io_, [&]() -> Awaitable<Response> {
      auto answer = co_await http::fetch(program_->address(), method, path);
      co_return std::move(answer).value();
    });
  }

  /// Sends messages over one stat stream, and ends when the last one was seen.
  void send(const std::vector<std::string>& messages) {
    bellows::test::run_task<void>(io_, [&]() -> Awaitable<void> {
      auto socket = co_await http::connect_websocket(program_->address(), kStatPath);
      for (const std::string& message : messages) {
        const auto written = co_await (*socket)->write(message);
        EXPECT_TRUE(written);
      }
      co_await (*socket)->close("done");
    });
  }

  /// Why the other side closes a stat stream with this message.
  std::string reason_for(const std::string& message) {
    return bellows::test::run_task<std::string>(io_, [&]() -> Awaitable<std::string> {
      auto socket = co_await http::connect_websocket(program_->address(), kStatPath);
      const auto written = co_await (*socket)->write(message);
      EXPECT_TRUE(written);
      const auto closed = co_await (*socket)->read();
      co_return closed ? "a message" : to_string(closed.error());
    });
  }

  static std::string trigger() {
    return metrics::encode(metrics::ScaleFromZeroTrigger{
        .revision = RevisionId("web"), .pod = PodName("activator"), .boot = 1, .waiting = 3});
  }

  http::net::io_context io_;
  ScriptedCluster cluster_{io_};
  config::AutoscalerSettings settings_;
  std::unique_ptr<Program> program_;
};

TEST_F(AutoscalerProgram, ATriggerOverItsStreamIsObeyedAndShown) {
  send({trigger()});
  const Response answer = ask("GET", "/v1/status");
  ASSERT_EQ(answer.status, 200);
  const json::value status = json::parse(answer.body);
  const json::value& web = status.at("services").at(0).at("revisions").at(0);
  EXPECT_EQ(web.at("name").as_string(), "web");
  EXPECT_EQ(web.at("state").as_string(), "Active");
  EXPECT_EQ(web.at("desired").as_int64(), 1);
  EXPECT_EQ(web.at("requested").as_int64(), 1);
  EXPECT_EQ(web.at("last_decision").at("rule").as_string(), "waiting");
}

/// Each member of a reading: completed, errors, refused, CPU, ... (metrics/replica_reading.hpp).
TEST_F(AutoscalerProgram, AReadingThatCannotBeEndsItsStreamByNameAndChangesNoTarget) {
  using namespace std::string_literals;
  const std::string nils(7, '\xc0');
  const std::string nan = "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"s;
  const metrics::Stat stat{.revision = RevisionId("web"), .pod = PodName("web-1"), .boot = 1};
  const std::string good = "\x9a\x02\x01\x00"s + nils;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {bellows::test::raw_stat(stat, "\x9a\x02\x01\x00"s + nan + nils.substr(1)), "cpu_us"},
      {bellows::test::raw_stat(stat, "\x9a\x02\x03\x00"s + nils), "3 errors of 2 completed"},
      {bellows::test::raw_stat(stat, good, "\xc4\x02\x28\x03"s), "3 service times of 2 completed"},
      {bellows::test::raw_stat(stat, good, "\xc4\x02\xc8\x02"s), "a bucket up to 191"}};
  const std::string before = ask("GET", "/v1/status").body;
  const auto target_of = [](const std::string& status) {
    return json::parse(status)
        .at("services")
        .at(0)
        .at("revisions")
        .at(0)
        .at("target")
        .to_number<double>();
  };
  for (const auto& [message, culprit] : cases) {
    EXPECT_THAT(reason_for(message), HasSubstr(culprit));
  }
  EXPECT_THAT(ask("GET", "/metrics").body,
              HasSubstr("bellows_autoscaler_stats_malformed_total 4\n"));
  EXPECT_EQ(target_of(ask("GET", "/v1/status").body), target_of(before));
}

TEST_F(AutoscalerProgram, AnActivatorWhoseStreamBreaksLeavesThePathsAtOnce) {
  cluster_.set_activators(
      {{.name = PodName("a"), .address = "10.0.0.1", .node = "", .zone = "", .is_ready = true},
       {.name = PodName("b"), .address = "10.0.0.2", .node = "", .zone = "", .is_ready = true}});
  const auto named = [&](std::size_t count) {
    return bellows::test::run_until(io_, [&] {
      const auto& orders = cluster_.path_orders();
      return !orders.empty() && orders.back().activators.size() == count;
    });
  };
  ASSERT_TRUE(named(2)) << "one that was never connected may be asked for";
  bellows::test::run_task<void>(io_, [&]() -> Awaitable<void> {
    auto socket = co_await http::connect_websocket(program_->address(), "/v1/stats?activator=b");
    co_await (*socket)->close("killed");
  });
  ASSERT_TRUE(named(1));
  EXPECT_EQ(cluster_.path_orders().back().activators.front(), PodName("a"));
  std::unique_ptr<http::WebSocket> again;
  bellows::test::run_task<void>(io_, [&]() -> Awaitable<void> {
    again =
        std::move(co_await http::connect_websocket(program_->address(), "/v1/stats?activator=b"))
            .value();
  });
  EXPECT_TRUE(named(2));
}

TEST_F(AutoscalerProgram, AnActivatorThatHangsLeavesThePathsAndOneThatAnswersPingsStays) {
  cluster_.set_activators(
      {{.name = PodName("a"), .address = "10.0.0.1", .node = "", .zone = "", .is_ready = true},
       {.name = PodName("b"), .address = "10.0.0.2", .node = "", .zone = "", .is_ready = true}});
  std::unique_ptr<http::WebSocket> alive;
  std::unique_ptr<http::WebSocket> hanging;  // pings are seen only by a read
  const auto connect = [&](std::unique_ptr<http::WebSocket>& into, const char* path) {
    bellows::test::run_task<void>(io_, [&]() -> Awaitable<void> {
      into = std::move(co_await http::connect_websocket(program_->address(), path)).value();
    });
  };
  connect(alive, "/v1/stats?activator=a");
  connect(hanging, "/v1/stats?activator=b");
  http::TaskGroup reads(io_);
  reads.spawn("read", [&]() -> Awaitable<void> { co_await alive->read(); });
  EXPECT_TRUE(bellows::test::run_until(io_, [&] {
    const auto& orders = cluster_.path_orders();
    return !orders.empty() && orders.back().activators == std::vector<PodName>{PodName("a")};
  }));
  reads.stop();
  bellows::test::run_task<void>(io_, [&]() -> Awaitable<void> {
    const auto joined = co_await reads.join(sys::system_clock().now() + std::chrono::seconds(5));
    EXPECT_TRUE(joined);
  });
}

TEST_F(AutoscalerProgram, ARevisionAtZeroIsInReserve) {
  const json::value status = json::parse(ask("GET", "/v1/status").body);
  EXPECT_EQ(status.at("version").as_int64(), 2);
  EXPECT_EQ(status.at("services").at(0).at("revisions").at(0).at("state").as_string(), "Reserve");
}

TEST_F(AutoscalerProgram, TheJournalShowsEveryInput) {
  const Response answer = ask("GET", "/v1/revisions/web/decisions");
  ASSERT_EQ(answer.status, 200);
  const json::value journal = json::parse(answer.body);
  const json::value& first = journal.at("decisions").at(0);
  EXPECT_EQ(first.at("because").as_string(), "no requests");
  EXPECT_EQ(first.at("spec").at("target").to_number<double>(), 7);
  EXPECT_EQ(first.at("seen").at("observed").as_int64(), 0);
}

TEST_F(AutoscalerProgram, TheJournalIsServedAsLinesToReplay) {
  send({trigger()});
  const Response answer = ask("GET", "/v1/revisions/web/journal");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/jsonl");
  std::istringstream lines(answer.body);
  const journal::JournalContents contents = journal::read_journal(lines).value();
  EXPECT_EQ(contents.service, "web");
  EXPECT_TRUE(contents.has_calendar);
  ASSERT_EQ(contents.decisions.size(), 2U);
  EXPECT_EQ(contents.decisions[0].replicas, 0);
  EXPECT_EQ(contents.decisions[1].rule, Rule::kWaiting);
  EXPECT_EQ(contents.decisions[1].seen.waiting, 3U);
}

TEST_F(AutoscalerProgram, SaysSinceWhenTheClusterIsUnreachable) {
  EXPECT_FALSE(json::parse(ask("GET", "/v1/status").body).as_object().contains("cluster"));
  EXPECT_EQ(ask("GET", "/readyz").body, "ready\n");
  cluster_.is_unreachable(sys::system_clock().now() - std::chrono::minutes(5));
  const json::value status = json::parse(ask("GET", "/v1/status").body);
  EXPECT_GE(status.at("cluster").at("unreachable_ms").as_int64(), 300'000);
  EXPECT_LT(status.at("cluster").at("unreachable_ms").as_int64(), 420'000);
  const Response ready = ask("GET", "/readyz");
  EXPECT_EQ(ready.status, 200) << "it goes on deciding";
  EXPECT_THAT(ready.body, testing::StartsWith("ready: the cluster has not been reachable for 5m"));
}

TEST_F(AutoscalerProgram, AMessageThatCannotBeReadIsCountedAndEndsItsStreamOnly) {
  send({"nonsense"});
  send({trigger()});
  const std::string text = ask("GET", "/metrics").body;
  EXPECT_THAT(text, HasSubstr("bellows_autoscaler_stats_malformed_total 1"));
  EXPECT_THAT(text, HasSubstr("bellows_autoscaler_scale_from_zero_triggers_received_total 1"));
  EXPECT_THAT(text,
              HasSubstr("bellows_autoscaler_desired_pods{revision=\"web\",service=\"web\"} 1"));
}

TEST_F(AutoscalerProgram, IsReadyOnceTheClusterWasListed) {
  cluster_.is_ready(false);
  const Response early = ask("GET", "/readyz");
  EXPECT_EQ(early.status, 503);
  EXPECT_THAT(early.body, HasSubstr("not been listed yet"));
  EXPECT_EQ(ask("GET", "/healthz").status, 200);
  cluster_.is_ready(true);
  EXPECT_EQ(ask("GET", "/readyz").status, 200);
}

TEST_F(AutoscalerProgram, APortInUseIsNamed) {
  config::AutoscalerSettings taken = settings_;
  taken.listen = program_->address();
  Program second(io_, cluster_, sys::system_clock(), taken);
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(to_string(started.error()), HasSubstr(std::to_string(taken.listen.port)));
}

}  // namespace
}  // namespace bellows::autoscaler::test
