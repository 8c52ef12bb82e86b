// What an app says about itself at the admin port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/queue-proxy/service_world.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(QueueProxyOccupancyPages, AnswerWithTheState) {
  ServiceWorld world;
  EXPECT_THAT(world.told("/occupied"), HasSubstr("\r\n\r\noccupied\n"));
  EXPECT_THAT(world.told("/counter?count=3&capacity=10"), HasSubstr("\r\n\r\noccupied\n"));
  EXPECT_THAT(world.told("/ready"), HasSubstr("\r\n\r\nready\n"));
}

TEST(QueueProxyOccupancyPages, ALeaseEndsWithItsTime) {
  ServiceWorld world;
  EXPECT_THAT(world.told("/busy?for=30s"), HasSubstr("\r\n\r\noccupied\n"));
  world.clock.advance(29s);
  EXPECT_THAT(world.told("/counter?count=0"), HasSubstr("\r\n\r\noccupied\n"));
  world.clock.advance(1s);
  EXPECT_THAT(world.told("/counter?count=0"), HasSubstr("\r\n\r\nready\n"));
}

TEST(QueueProxyOccupancyPages, ReadyEndsALease) {
  ServiceWorld world;
  world.told("/busy?for=1h");
  EXPECT_THAT(world.told("/ready"), HasSubstr("\r\n\r\nready\n"));
}

TEST(QueueProxyOccupancyPages, BadValuesAreNamedAndChangeNothing) {
  ServiceWorld world;
  for (const char* time : {"", "?for=", "?for=30", "?for=-5s", "?for=0s", "?for=25h", "?for=x"}) {
    const std::string answer = world.told("/busy" + std::string(time));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << time;
    EXPECT_THAT(answer, HasSubstr("want a time with a unit, up to 24h: for=30s")) << time;
  }
  for (const char* counts : {"", "?count=-1", "?count=nan", "?count=inf", "?count=2e9", "?count=3x",
                             "?count=1&capacity=-1"}) {
    const std::string answer = world.told("/counter" + std::string(counts));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << counts;
    EXPECT_THAT(answer, HasSubstr("want numbers from 0 to 1e9")) << counts;
  }
  EXPECT_THAT(world.told("/ready"), HasSubstr("\r\n\r\nready\n"));
}

TEST(QueueProxyOccupancyPages, AreChangesAndNoPages) {
  ServiceWorld world;
  for (const char* path : {"/occupied", "/ready", "/busy?for=30s", "/counter?count=1"}) {
    EXPECT_TRUE(world.asked(path).starts_with("HTTP/1.1 405 ")) << path;
  }
}

TEST(QueueProxyOccupancyPages, ARequestOfAWebPageIsRefused) {
  ServiceWorld world;
  const std::string answer = world.told("/occupied", "Origin: http://evil.example\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << answer;
  EXPECT_THAT(world.told("/counter?count=0"), HasSubstr("\r\n\r\nready\n"));
}

TEST(QueueProxyOccupancyPages, WhatIsSaidIsLostWithTheApp) {
  ServiceWorld world;
  world.told("/occupied");
  world.restart_app();
  EXPECT_THAT(world.told("/counter?count=0"), HasSubstr("\r\n\r\nready\n"));
}

TEST(QueueProxyThatDrains, WaitsForAnAppThatSaysItIsOccupied) {
  ServiceWorld world([](config::QueueProxySettings& settings) { settings.drain_timeout = 10min; });
  world.told("/occupied");
  world.drain();
  world.work();
  world.clock.advance(1min);
  world.work();
  EXPECT_FALSE(world.is_done);
  world.told("/ready");
  EXPECT_TRUE(world.until([&] {
    world.clock.advance(1s);
    return world.is_done;
  }));
}

}  // namespace
}  // namespace bellows::queue_proxy
