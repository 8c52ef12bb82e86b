#include "cluster/subscribers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace bellows::cluster {
namespace {

TEST(SubscribersNotified, ThreeTimesBeforeTheLoopRunsAreCalledOnce) {
  http::net::io_context io;
  Subscribers subscribers(io);
  int calls = 0;
  const auto subscription = subscribers.add([&](const Changes&) { ++calls; });
  for (int i = 0; i < 3; ++i) subscribers.notify();
  EXPECT_EQ(calls, 0) << "never from inside notify()";
  io.run();
  EXPECT_EQ(calls, 1);
  subscribers.notify();
  io.restart();
  io.run();
  EXPECT_EQ(calls, 2);
}

TEST(SubscribersNotified, AreToldOfAllChangesSinceTheLastTimeAtOnce) {
  http::net::io_context io;
  Subscribers subscribers(io);
  std::vector<Changes> told;
  const auto subscription =
      subscribers.add([&](const Changes& changes) { told.push_back(changes); });
  subscribers.pending().added(RevisionId("web"));
  subscribers.notify();
  subscribers.pending().removed(RevisionId("api"));
  subscribers.notify();
  io.run();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0],
            (Changes{.added = {RevisionId("web")}, .changed = {}, .removed = {RevisionId("api")}}));
  subscribers.notify();
  io.restart();
  io.run();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(told[1].empty()) << "a cluster that became ready says so even with an empty list";
}

TEST(SubscriptionEnded, IsNotCalledEvenIfANotificationIsPending) {
  http::net::io_context io;
  Subscribers subscribers(io);
  int calls = 0;
  auto subscription = subscribers.add([&](const Changes&) { ++calls; });
  subscribers.notify();
  subscription.reset();
  io.run();
  EXPECT_EQ(calls, 0);
}

TEST(SubscriptionEndedFromACallback, OfItselfAndOfTheNextOneIsSafe) {
  http::net::io_context io;
  Subscribers subscribers(io);
  std::unique_ptr<Subscription> first;
  std::unique_ptr<Subscription> second;
  int second_calls = 0;
  first = subscribers.add([&](const Changes&) {
    second.reset();
    first.reset();
  });
  second = subscribers.add([&](const Changes&) { ++second_calls; });
  subscribers.notify();
  io.run();
  EXPECT_EQ(second_calls, 0);
  EXPECT_EQ(first, nullptr);
}

TEST(SubscriptionThatOutlivesItsCluster, CanBeDestroyed) {
  http::net::io_context io;
  std::optional<Subscribers> subscribers(std::in_place, io);
  const auto subscription =
      subscribers->add([](const Changes&) { FAIL() << "the cluster no longer exists"; });
  subscribers->notify();
  subscribers.reset();
  io.run();
}

}  // namespace
}  // namespace bellows::cluster
