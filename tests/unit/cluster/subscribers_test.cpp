#include "cluster/subscribers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace bellows::cluster {
namespace {

TEST(SubscribersNotified, ThreeTimesBeforeTheLoopRunsAreCalledOnce) {
  http::net::io_context io;
  Subscribers subscribers(io);
  int calls = 0;
  const auto subscription = subscribers.add([&] { ++calls; });
  for (int i = 0; i < 3; ++i) subscribers.notify();
  EXPECT_EQ(calls, 0) << "never from inside notify()";
  io.run();
  EXPECT_EQ(calls, 1);
  subscribers.notify();
  io.restart();
  io.run();
  EXPECT_EQ(calls, 2);
}

TEST(SubscriptionEnded, IsNotCalledEvenIfANotificationIsPending) {
  http::net::io_context io;
  Subscribers subscribers(io);
  int calls = 0;
  auto subscription = subscribers.add([&] { ++calls; });
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
  first = subscribers.add([&] {
    second.reset();
    first.reset();
  });
  second = subscribers.add([&] { ++second_calls; });
  subscribers.notify();
  io.run();
  EXPECT_EQ(second_calls, 0);
  EXPECT_EQ(first, nullptr);
}

TEST(SubscriptionThatOutlivesItsCluster, CanBeDestroyed) {
  http::net::io_context io;
  std::optional<Subscribers> subscribers(std::in_place, io);
  const auto subscription = subscribers->add([] { FAIL() << "the cluster no longer exists"; });
  subscribers->notify();
  subscribers.reset();
  io.run();
}

}  // namespace
}  // namespace bellows::cluster
