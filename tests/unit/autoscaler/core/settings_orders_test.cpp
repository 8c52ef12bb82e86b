#include "autoscaler/core/settings_orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bellows::autoscaler {
namespace {

using namespace std::chrono_literals;
using config::SettingTexts;
using config::WithoutEffect;
using testing::ElementsAre;
using testing::HasSubstr;

const RevisionId kWeb("shop/web");
const SettingTexts kOne = {{"container-concurrency", "1"}};

class SettingsOrdersDiary : public testing::Test {
 protected:
  /// The settings that are sent to a stream now; nullopt: none.
  std::optional<SettingTexts> sent(SettingsOrders::Stream stream) {
    const auto order = orders.next(stream, now);
    if (!order) return std::nullopt;
    newest = order->generation;
    return order->settings;
  }

  void answers(SettingsOrders::Stream stream, const std::string& pod, SettingTexts refused = {},
               SettingTexts own = {}) {
    orders.answered(stream, {.revision = kWeb,
                             .pod = PodName(pod),
                             .generation = newest,
                             .refused = std::move(refused),
                             .own = std::move(own)});
  }

  std::vector<std::string> without_effect() {
    std::vector<std::string> lines;
    for (const auto& [setting, because] : orders.without_effect(kWeb, settings, now)) {
      lines.push_back(setting + ": " + because);
    }
    return lines;
  }

  TimePoint now{1h};
  SettingsOrders orders;
  config::RevisionSettings settings;
  std::uint64_t newest = 0;
};

TEST_F(SettingsOrdersDiary, EachReplicaGetsTheNewestOnceAndAgainWhenItConnectsAgain) {
  EXPECT_THAT(orders.want(kWeb, kOne), ElementsAre());
  EXPECT_FALSE(sent(1)) << "nobody knows whose stream it is";
  EXPECT_TRUE(orders.is_of(1, kWeb, PodName("web-1")));
  EXPECT_TRUE(orders.is_of(2, kWeb, PodName("web-2")));
  EXPECT_EQ(sent(1), kOne);
  EXPECT_EQ(sent(2), kOne);
  EXPECT_FALSE(orders.is_of(1, kWeb, PodName("web-1")));
  EXPECT_FALSE(sent(1));
  EXPECT_THAT(orders.want(kWeb, kOne), ElementsAre()) << "nothing new";
  EXPECT_THAT(orders.want(kWeb, SettingTexts{}), ElementsAre(1, 2));
  EXPECT_EQ(sent(1), SettingTexts{}) << "it has to forget the one of before";
  orders.ended(2);
  EXPECT_TRUE(orders.is_of(3, kWeb, PodName("web-2")));
  EXPECT_EQ(sent(3), SettingTexts{});
  EXPECT_FALSE(sent(2));
}

TEST_F(SettingsOrdersDiary, AClusterWhoseReplicasHaveTheirSettingsSendsNone) {
  EXPECT_THAT(orders.want(kWeb, std::nullopt), ElementsAre());
  EXPECT_FALSE(orders.is_of(1, kWeb, PodName("web-1")));
  EXPECT_FALSE(sent(1));
}

TEST_F(SettingsOrdersDiary, ARevisionThatIsGoneSendsNoneUntilItIsBack) {
  orders.want(kWeb, kOne);
  orders.is_of(1, kWeb, PodName("web-1"));
  orders.forget(kWeb);
  EXPECT_FALSE(sent(1));
  orders.want(kWeb, kOne);
  EXPECT_TRUE(orders.is_of(1, kWeb, PodName("web-1")));
  EXPECT_EQ(sent(1), kOne);
  orders.ended(1);
  orders.ended(1);
}

TEST_F(SettingsOrdersDiary, AStreamMayBecomeThatOfAnotherReplica) {
  orders.want(kWeb, kOne);
  orders.is_of(1, kWeb, PodName("web-1"));
  EXPECT_TRUE(sent(1));
  EXPECT_TRUE(orders.is_of(1, kWeb, PodName("web-2")));
  EXPECT_TRUE(sent(1));
  answers(1, "web-1", {{"queue-age", "a late answer"}});
  EXPECT_THAT(without_effect(), ElementsAre());
  EXPECT_EQ(orders.answers(), 0U);
}

TEST_F(SettingsOrdersDiary, WhatIsRefusedIsToldByTheNameThatUsersKnow) {
  orders.want(kWeb, SettingTexts{{"window", "30s"}});
  for (const SettingsOrders::Stream stream : {1, 2}) {
    const std::string pod = "web-" + std::to_string(stream);
    orders.is_of(stream, kWeb, PodName(pod));
    EXPECT_TRUE(sent(stream));
  }
  EXPECT_THAT(without_effect(), ElementsAre()) << "it is on its way";
  answers(1, "web-1", {{"window", "it stays 60s"}});
  answers(2, "web-2", {{"window", "it stays 60s"}});
  EXPECT_THAT(without_effect(), ElementsAre("window: it stays 60s")) << "once for both";
  orders.want(kWeb, SettingTexts{});
  EXPECT_TRUE(sent(1) && sent(2));
  EXPECT_THAT(without_effect(), ElementsAre()) << "the answers were about the one before";
}

TEST_F(SettingsOrdersDiary, AnAnswerCountsOnItsOwnStreamAndGenerationOnly) {
  orders.want(kWeb, kOne);
  orders.is_of(1, kWeb, PodName("web-1"));
  newest = 99;
  answers(1, "web-1", {{"queue-age", "before anything was sent"}});
  EXPECT_TRUE(sent(1));
  answers(2, "web-1", {{"queue-age", "of a stranger"}});
  newest = 7;
  answers(1, "web-1", {{"queue-age", "to another order"}});
  EXPECT_THAT(without_effect(), ElementsAre());
  EXPECT_EQ(orders.answers(), 0U);
}

TEST_F(SettingsOrdersDiary, AnOlderQueueProxyIsToldAfterAWhile) {
  orders.want(kWeb, kOne);
  orders.is_of(1, kWeb, PodName("web-1"));
  EXPECT_TRUE(sent(1));
  now += SettingsOrders::kPatience - 1ms;
  EXPECT_THAT(without_effect(), ElementsAre());
  now += 1ms;
  EXPECT_THAT(without_effect(),
              ElementsAre(HasSubstr("container-concurrency: a queue-proxy does not answer")));
  orders.ended(1);
  EXPECT_THAT(without_effect(), ElementsAre());
}

TEST_F(SettingsOrdersDiary, WhatTheManifestOfThePodsHasAloneIsTold) {
  orders.want(kWeb, SettingTexts{});
  orders.is_of(1, kWeb, PodName("web-1"));
  EXPECT_TRUE(sent(1));
  answers(1, "web-1", {}, {{"container-concurrency", "4"}, {"queue-age", "5s"}, {"unknown", "1"}});
  settings.queue_age = 5s;
  EXPECT_THAT(without_effect(), ElementsAre("container-concurrency: the manifest of the pods has "
                                            "4, and the Revision does not set it"));
}

}  // namespace
}  // namespace bellows::autoscaler
