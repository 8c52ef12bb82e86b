#include "queue-proxy/core/live_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using config::QueueProxySettings;
using config::SettingTexts;
using testing::ElementsAre;
using testing::HasSubstr;

/// As `bellows inject` starts it.
QueueProxySettings injected() {
  QueueProxySettings own;
  own.revision = RevisionId("shop/web");
  own.pod = PodName("web-1");
  own.user_port = 8080;
  own.activator_port = 8013;
  own.drain_port = 8023;
  own.autoscaler = config::parse_websocket_url("ws://autoscaler:8080/v1/stats").value();
  own.container_concurrency = 4;
  own.drain_timeout = 25s;
  own.drain_quiet_time = 4s;
  own.readiness.path = "/ready";
  own.log.format = config::LogFormat::kJson;
  return own;
}

struct TakenCase {
  std::string name;
  SettingTexts ordered;
  std::function<void(QueueProxySettings&)> change;
};

class AnOrder : public testing::TestWithParam<TakenCase> {};

TEST_P(AnOrder, IsAboveTheSettingsOfTheStart) {
  const LiveSettings live = live_settings(injected(), GetParam().ordered);
  EXPECT_THAT(live.refused, ElementsAre());
  QueueProxySettings want = injected();
  GetParam().change(want);
  EXPECT_EQ(live.settings, want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, AnOrder,
    testing::Values(
        TakenCase{"Nothing", {}, [](auto&) {}},
        TakenCase{"Lower",
                  {{"container-concurrency", "1"}},
                  [](auto& s) { s.container_concurrency = 1; }},
        TakenCase{"NoLimit",
                  {{"container-concurrency", "0"}},
                  [](auto& s) { s.container_concurrency = 0; }},
        TakenCase{"TimeLimits",
                  {{"revision-timeout", "10s"},
                   {"revision-response-start-timeout", "2s"},
                   {"revision-idle-timeout", "1s"},
                   {"max-tunnel-life", "1h"}},
                  [](auto& s) {
                    s.request_timeout = 10s;
                    s.response_start_timeout = 2s;
                    s.idle_timeout = 1s;
                    s.max_tunnel_life = 1h;
                  }},
        TakenCase{"Queue",
                  {{"queue-bytes", "1Mi"}, {"queue-age", "3s"}, {"queue-time-header", "always"}},
                  [](auto& s) {
                    s.queue_bytes = mebibytes(1);
                    s.queue_age = 3s;
                    s.queue_time_header = config::QueueTimeHeader::kAlways;
                  }},
        TakenCase{"Probes",
                  {{"probe-paths", "/healthz"}, {"probe-user-agents", "Checker/"}},
                  [](auto& s) {
                    s.probe_paths = "/healthz";
                    s.probe_user_agents = "Checker/";
                  }},
        TakenCase{"Window", {{"window", "30s"}}, [](auto& s) { s.window = 30s; }},
        TakenCase{"WhatIsPinnedAndTheSame",
                  {{"drain-timeout", "25s"}, {"app-protocol", "auto"}},
                  [](auto&) {}}),
    [](const auto& row) { return row.param.name; });

struct RefusedCase {
  std::string name;
  SettingTexts ordered;
  std::string setting;
  std::string because;
};

class ASetting : public testing::TestWithParam<RefusedCase> {};

TEST_P(ASetting, IsRefusedWithTheReasonAndTheOthersAreTaken) {
  SettingTexts ordered = GetParam().ordered;
  ordered.emplace_back("container-concurrency", "2");
  const LiveSettings live = live_settings(injected(), ordered);
  ASSERT_EQ(live.refused.size(), 1U);
  EXPECT_EQ(live.refused.front().first, GetParam().setting);
  EXPECT_THAT(live.refused.front().second, HasSubstr(GetParam().because));
  QueueProxySettings want = injected();
  want.container_concurrency = 2;
  EXPECT_EQ(live.settings, want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ASetting,
    testing::Values(
        RefusedCase{"ThatIsPinned",
                    {{"drain-timeout", "60s"}},
                    "drain-timeout",
                    "it stays 25s until the pods are replaced: it has to fit into "
                    "terminationGracePeriodSeconds"},
        RefusedCase{
            "ThatTheAppStartedWith", {{"app-protocol", "h2c"}}, "app-protocol", "it stays auto"},
        RefusedCase{"WithMoreMemoryThanItsContainerHas",
                    {{"queue-bytes", "65Mi"}},
                    "queue-bytes",
                    "it stays 64Mi until the pods are replaced: the memory limit"},
        RefusedCase{"OfALaterVersion", {{"new-setting", "1"}}, "new-setting", "does not have it"},
        RefusedCase{"ThatIsNoneOfTheRevision",
                    {{"listen-host", "0.0.0.0"}},
                    "listen-host",
                    "does not have it"},
        RefusedCase{"ThatWouldMoveItsPort", {{"user-port", "22"}}, "user-port", "does not have it"},
        RefusedCase{"ThatIsInvalid", {{"queue-age", "soon"}}, "queue-age", "\"soon\""},
        RefusedCase{"OutOfRange", {{"queue-age", "25h"}}, "queue-age", "24h"},
        RefusedCase{"ThatContradictsThoseOfTheStart",
                    {{"revision-response-start-timeout", "10m"}},
                    "revision-response-start-timeout",
                    "at most revision-timeout"}),
    [](const auto& row) { return row.param.name; });

TEST(AnOrderThatContradictsTheStart, IsRefusedAsAWhole) {
  QueueProxySettings own = injected();
  own.response_start_timeout = 60s;
  const LiveSettings live = live_settings(own, {{"revision-timeout", "10s"}});
  ASSERT_EQ(live.refused.size(), 1U);
  EXPECT_EQ(live.refused.front().first, "revision-timeout");
  EXPECT_THAT(live.refused.front().second, HasSubstr("revision-response-start-timeout"));
  EXPECT_EQ(live.settings, own);
}

TEST(OwnSettings, AreThoseThatAnOrderCouldChange) {
  QueueProxySettings own = injected();
  own.queue_age = 5s;
  EXPECT_EQ(own_settings(own, {}),
            (SettingTexts{{"container-concurrency", "4"}, {"queue-age", "5s"}}));
  EXPECT_EQ(own_settings(own, {{"container-concurrency", "4"}}),
            (SettingTexts{{"queue-age", "5s"}}));
}

}  // namespace
}  // namespace bellows::queue_proxy
