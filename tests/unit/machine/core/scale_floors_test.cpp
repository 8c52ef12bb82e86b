#include "machine/core/scale_floors.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/start.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;

using bellows::test::kStart;
const RevisionId kWeb("web");
const RevisionId kNew("web-00002");

TEST(ScaleFloors, HoldsAFloorUntilItIsReleasedAndItsTimeIsOver) {
  ScaleFloors floors;
  floors.hold(kWeb, kNew, 3);
  EXPECT_EQ(floors.of(kNew), 3);
  EXPECT_TRUE(floors.take_ended(kStart + 24h).empty()) << "until the shares change";
  floors.release(kNew, kStart + 60s);
  EXPECT_TRUE(floors.take_ended(kStart + 59s).empty());
  EXPECT_EQ(floors.take_ended(kStart + 60s),
            (std::vector<ScaleFloors::Ended>{{.service = kWeb, .revision = kNew}}));
  EXPECT_EQ(floors.of(kNew), 0);
  EXPECT_TRUE(floors.empty());
}

TEST(ScaleFloors, AnEndIsGivenOnce) {
  ScaleFloors floors;
  floors.hold(kWeb, kNew, 1);
  floors.release(kNew, kStart + 10s);
  floors.release(kNew, kStart + 90s);
  EXPECT_EQ(floors.take_ended(kStart + 10s).size(), 1U);
}

TEST(ScaleFloors, ANewFloorHasNoEnd) {
  ScaleFloors floors;
  floors.hold(kWeb, kNew, 1);
  floors.release(kNew, kStart);
  floors.hold(kWeb, kNew, 2);
  EXPECT_TRUE(floors.take_ended(kStart + 1h).empty());
  floors.drop(kNew);
  EXPECT_TRUE(floors.empty());
}

TEST(ScaleFloors, WhatHasNoneIsNotReleased) {
  ScaleFloors floors;
  floors.release(kNew, kStart);
  EXPECT_TRUE(floors.empty());
}

}  // namespace
}  // namespace bellows::machine
