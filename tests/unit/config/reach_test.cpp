#include "config/reach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/revision_schema.hpp"
#include "config/table.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(TheTable, HasTheSettingsOfServicesThatQueueProxiesHaveToo) {
  std::vector<std::string> live;
  std::vector<std::string> pinned;
  for (const ProxySetting& setting : proxy_settings()) {
    (setting.reach.pinned.empty() ? live : pinned).emplace_back(setting.in_queue_proxy);
  }
  EXPECT_THAT(live, ElementsAre("container-concurrency", "stable-window", "revision-timeout",
                                "revision-response-start-timeout", "revision-idle-timeout",
                                "max-tunnel-life", "queue-bytes", "queue-age", "queue-time-header",
                                "probe-user-agents", "probe-paths"));
  EXPECT_THAT(pinned, ElementsAre("app-protocol", "drain-timeout"));
}

TEST(TheTable, NamesThemAsTheServiceDoes) {
  ASSERT_NE(proxy_setting_of_service("window"), nullptr);
  EXPECT_EQ(proxy_setting_of_service("window")->in_queue_proxy, "stable-window");
  EXPECT_EQ(proxy_setting("stable-window")->name, "window");
  EXPECT_EQ(proxy_setting_of_service("queue-depth"), nullptr) << "that of an activator";
  EXPECT_EQ(proxy_setting("queue-depth"), nullptr);
  EXPECT_EQ(proxy_setting("user-port"), nullptr);
}

/// Else a pod whose manifest sets nothing would differ from its Revision.
TEST(TheTable, HasTheSameDefaultsForBoth) {
  for (const ProxySetting& setting : proxy_settings()) {
    EXPECT_EQ(revision_schema().text({}, setting.name),
              queue_proxy_schema().text({}, setting.in_queue_proxy))
        << setting.name;
  }
}

TEST(ASettingOfAService, IsCopiedToItsQueueProxy) {
  RevisionSettings service;
  service.container_concurrency = 7;
  service.window = 90s;
  service.queue_time_header = QueueTimeHeader::kAlways;
  QueueProxySettings proxy;
  proxy.drain_timeout = 25s;
  for (const ProxySetting& setting : proxy_settings()) copy(setting, service, proxy);
  EXPECT_EQ(proxy.container_concurrency, 7);
  EXPECT_EQ(proxy.stable_window, 90s);
  EXPECT_EQ(proxy.queue_time_header, QueueTimeHeader::kAlways);
  EXPECT_EQ(proxy.drain_timeout, 25s) << "the service has it unset";
}

struct IdleCase {
  std::string setting;
  std::string text;
  std::string because;
};

class SettingsWithoutEffect : public testing::TestWithParam<IdleCase> {};

TEST_P(SettingsWithoutEffect, AreNamedWithTheReason) {
  Layer layer = {flag(GetParam().setting, GetParam().text)};
  const auto settings = revision_schema().apply({layer});
  ASSERT_TRUE(settings) << problems_text(settings.error());
  const auto found = without_effect_on_kubernetes(*settings);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().setting, GetParam().setting);
  EXPECT_THAT(found.front().because, HasSubstr(GetParam().because));
}

INSTANTIATE_TEST_SUITE_P(Table, SettingsWithoutEffect,
                         testing::Values(IdleCase{"cpu-utilization", "70", "not measured"},
                                         IdleCase{"memory-utilization", "80", "not measured"},
                                         IdleCase{"readiness-path", "/up", "readinessProbe"},
                                         IdleCase{"liveness-period", "20s", "livenessProbe"},
                                         IdleCase{"resources-mode", "auto", "manifest"},
                                         IdleCase{"memory-limit", "64Mi", "manifest"},
                                         IdleCase{"split-by", "client", "Service of its own"}),
                         [](const auto& row) {
                           std::string name = row.param.setting;
                           std::erase(name, '-');
                           return name;
                         });

TEST(SettingsThatHaveAnEffect, AreNotNamed) {
  RevisionSettings settings;
  EXPECT_THAT(without_effect_on_kubernetes(settings), ElementsAre());
  settings.container_concurrency = 1;
  settings.min_scale = 2;
  settings.queue_depth = 5;
  settings.drain_timeout = 10s;
  EXPECT_THAT(without_effect_on_kubernetes(settings), ElementsAre());
}

TEST(AReason, IsASentenceWithoutAFullStop) {
  const auto check = [](std::string_view because) {
    EXPECT_FALSE(because.ends_with('.')) << because;
  };
  each_row([&](const Group& group, const Setting& row) {
    check(group.off_kubernetes);
    for (const auto because : {row.reach.pinned, row.reach.capped, row.reach.off_kubernetes}) {
      check(because);
    }
  });
}

}  // namespace
}  // namespace bellows::config
