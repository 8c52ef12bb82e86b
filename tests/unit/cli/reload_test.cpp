#include "cli/machine/reload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "cluster/local/queue_proxy_contract.hpp"

namespace bellows::cli {
namespace {

using config::Change;
using testing::ElementsAre;
using testing::IsEmpty;

config::Service service(const char* name) {
  config::Service service;
  service.name = RevisionId(name);
  service.command = {"./" + std::string(name)};
  service.settings = config::one_machine_settings();
  return service;
}

config::UpSettings two_services() {
  config::UpSettings settings;
  settings.services = {service("web"), service("shop")};
  return settings;
}

TEST(Reload, OfTheSameFileChangesNothing) {
  EXPECT_TRUE(plan_reload(two_services(), two_services()).empty());
}

TEST(Reload, ListsEveryChangedSettingWithItsOldAndNewValue) {
  config::UpSettings changed = two_services();
  changed.services[0].settings.target = 20;
  changed.services[0].settings.max_scale = 4;
  changed.services[0].settings.scale_down_delay = std::chrono::seconds(90);
  const Reload reload = plan_reload(two_services(), changed);
  ASSERT_EQ(reload.services.size(), 1U);
  EXPECT_EQ(reload.services[0].name, RevisionId("web"));
  EXPECT_EQ(reload.services[0].settings, changed.services[0].settings);
  EXPECT_EQ(config::changes_text(reload.services[0].changes),
            "target 10 -> 20, scale-down-delay 0s -> 1m30s, max-scale 8 -> 4");
  EXPECT_THAT(reload.after_restart, IsEmpty());
}

TEST(Reload, ARemovedValueIsUnset) {
  config::UpSettings changed = two_services();
  changed.services[1].settings.target.reset();
  const Reload reload = plan_reload(two_services(), changed);
  ASSERT_EQ(reload.services.size(), 1U);
  EXPECT_EQ(config::changes_text(reload.services[0].changes), "target 10 -> (unset)");
}

TEST(Reload, SettingsThatNeedARestartAreListed) {
  config::UpSettings changed = two_services();
  changed.run.listen.port = 9000;
  changed.services[0].command = {"./other"};
  changed.services[0].environment = {{"A", "b"}};
  changed.services[0].working_directory = "/srv";
  changed.services[0].route = {.host = "web.localhost", .path_prefix = "/web"};
  changed.services[0].settings.resources.mode = config::ResourcesMode::kAuto;
  changed.services[1] = service("mail");
  const Reload reload = plan_reload(two_services(), changed);
  EXPECT_THAT(reload.services, IsEmpty());
  EXPECT_THAT(
      reload.after_restart,
      ElementsAre("listen", "service web: command", "service web: environment",
                  "service web: working-directory", "service web: host", "service web: path-prefix",
                  "service web: resources-mode", "service shop (removed)", "service mail (new)"));
}

config::RevisionSettings before() {
  config::RevisionSettings settings;
  settings.max_scale = 8;
  return settings;
}

/// Settings with another valid value of `setting`; nullopt if none of the candidates is valid.
std::optional<config::RevisionSettings> with_another(const config::Declaration& setting) {
  std::vector<std::string> values = setting.choices;
  for (const char* value :
       {"true", "false", "2", "3", "50", "300", "0.01", "2m", "7s", "20m", "2Mi", "100m", "/probe",
        "agent/", "64Mi", "p95 < 1s", R"({"min":1})"}) {
    values.emplace_back(value);
  }
  for (const std::string& value : values) {
    const config::Layer max_scale = {config::flag("max-scale", "8")};
    const config::Layer changed = {config::flag(setting.name, value)};
    const auto applied = config::revision_schema().apply({max_scale, changed});
    if (applied && *applied != before()) return *applied;
  }
  return std::nullopt;
}

TEST(Reload, KnowsWhichSettingsApplyOnlyToNewReplicas) {
  const auto queue_proxy_flags = [](const config::RevisionSettings& settings) {
    config::Service web = service("web");
    web.settings = settings;
    auto environment = cluster::queue_proxy_environment(web, {});
    environment.erase("BELLOWS_STABLE_WINDOW");  // only the memory for a restart
    return environment;
  };
  const std::set<std::string> of_the_replica = {"progress-deadline", "drain-timeout"};
  for (const config::Declaration& setting : config::revision_schema().declarations()) {
    if (setting.choices.size() == 1) continue;
    const auto after = with_another(setting);
    EXPECT_TRUE(after) << "no other value for " << setting.name << ": add one that is valid";
    if (!after) continue;
    const bool is_only_for_new = queue_proxy_flags(before()) != queue_proxy_flags(*after) ||
                                 of_the_replica.contains(setting.name);
    EXPECT_EQ(only_for_new_replicas({{setting.name, "", ""}}), is_only_for_new ? setting.name : "");
  }
}

}  // namespace
}  // namespace bellows::cli
