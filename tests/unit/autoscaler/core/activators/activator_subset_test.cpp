#include "autoscaler/core/activators/activator_subset.hpp"

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace bellows::autoscaler {
namespace {

using Addresses = std::vector<std::string>;

Addresses activators(int count) {
  Addresses addresses;
  for (int i = 1; i <= count; ++i) addresses.push_back("10.0.0." + std::to_string(i));
  return addresses;
}

TEST(ActivatorsWanted, AreForWhatReplicasAndSpareRoomHold) {
  struct Case {
    double total, burst;
    PodCount ready, capacity, wanted;
  };
  for (const Case& each : std::vector<Case>{{100, 0, 50, 100, 2},   // they only trigger it
                                            {100, 211, 0, 100, 3},  // 211 / 100
                                            {100, 200, 0, 100, 2},
                                            {100, 200, 10, 100, 12},  // 1200 / 100
                                            {10, -1, 10, 100, 2},     // 100 / 100
                                            {10, -1, 31, 100, 4}}) {  // 310 / 100
    ScalingSpec spec;
    spec.total = each.total;
    spec.target_burst_capacity = each.burst;
    spec.activator_capacity = each.capacity;
    EXPECT_EQ(desired_activators(spec, each.ready), each.wanted) << each.burst << " " << each.ready;
  }
}

TEST(ActivatorSubset, IsAllForNoneOrForAsManyAsThereAre) {
  EXPECT_EQ(activator_subset(activators(3), "default/web-1", 0), activators(3));
  EXPECT_EQ(activator_subset(activators(3), "default/web-1", 3), activators(3));
  EXPECT_EQ(activator_subset(activators(3), "default/web-1", 9), activators(3));
  EXPECT_TRUE(activator_subset({}, "default/web-1", 2).empty());
}

TEST(ActivatorSubset, DiffersBetweenRevisionsSoThatAllActivatorsAreUsed) {
  std::map<std::string, int> uses;
  for (int i = 0; i < 200; ++i) {
    for (const std::string& address :
         activator_subset(activators(10), "default/web-" + std::to_string(i), 3)) {
      ++uses[address];
    }
  }
  ASSERT_EQ(uses.size(), 10U);
  for (const auto& [address, count] : uses) EXPECT_NEAR(count, 60, 45) << address;
}

RC_GTEST_PROP(ActivatorSubset, HasSoManyDifferentOnesWhateverTheOrderOfTheList, ()) {
  Addresses addresses = activators(*rc::gen::inRange(1, 60));
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 60));
  const auto revision = *rc::gen::arbitrary<std::string>();
  const Addresses chosen = activator_subset(addresses, revision, count);
  RC_ASSERT(chosen.size() == std::min(count, addresses.size()));
  RC_ASSERT(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
  std::reverse(addresses.begin(), addresses.end());
  RC_ASSERT(activator_subset(addresses, revision, count) == chosen);
}

TEST(ActivatorSubset, StaysWhenOneThatWasNotChosenLeaves) {
  for (int i = 0; i < 50; ++i) {
    const std::string revision = "default/web-" + std::to_string(i);
    Addresses addresses = activators(10);
    const Addresses chosen = activator_subset(addresses, revision, 3);
    const auto spare = std::find_if(addresses.begin(), addresses.end(), [&](const auto& address) {
      return std::find(chosen.begin(), chosen.end(), address) == chosen.end();
    });
    addresses.erase(spare);
    EXPECT_EQ(activator_subset(addresses, revision, 3), chosen) << revision;
  }
}

}  // namespace
}  // namespace bellows::autoscaler
