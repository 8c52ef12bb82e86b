// Knative's arithmetic, with the numbers of its own tests (knative.md 7.5, cases 81 to 84).
#include "activator/core/slot_share.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::activator {
namespace {

TEST(SharedAddress, HasThisActivatorsPartOfAllSlotsAndAtLeastOne) {  // case 81
  struct Case {
    std::size_t backends;
    std::int32_t activators;
    std::int64_t slots;
  };
  for (const Case& each : {Case{1, 1, 10}, Case{10, 1, 100}, Case{100, 1, 1000}, Case{10, 5, 20},
                           Case{10, 200, 1}, Case{0, 200, 0}, Case{0, 0, 0}, Case{3, 0, 30}}) {
    EXPECT_EQ(shared_address_slots(10, each.backends, each.activators), each.slots)
        << each.backends << " backends, " << each.activators << " activators";
  }
}

/// "101": the first and the third are ours.
std::string slice(std::size_t pods, std::int32_t activators, std::int32_t index) {
  std::string text;
  for (const bool is_ours : slice_of(pods, {activators, index})) text += is_ours ? '1' : '0';
  return text;
}

TEST(Slice, IsConsecutiveAndTheLeftOverOnesGoOneByOne) {  // cases 83 and 84
  EXPECT_EQ(slice(2, 1, 0), "11");
  EXPECT_EQ(slice(2, 2, 0), "10");
  EXPECT_EQ(slice(2, 2, 1), "01");
  EXPECT_EQ(slice(3, 2, 0), "101");
  EXPECT_EQ(slice(3, 2, 1), "010");
  EXPECT_EQ(slice(5, 2, 0), "11001");
  EXPECT_EQ(slice(5, 2, 1), "00110");
  EXPECT_EQ(slice(8, 3, 1), "00110001");
}

TEST(Slice, IsOnePodTogetherWithOthersWhenThereAreMoreActivators) {
  EXPECT_EQ(slice(2, 5, 0), "10");
  EXPECT_EQ(slice(2, 5, 3), "01");
  EXPECT_EQ(slice(2, 5, 4), "10");
}

TEST(Slice, IsEverythingForOneThatIsNotAmongTheActivators) {
  EXPECT_EQ(slice(3, 4, -1), "111");
}

TEST(Slice, OfNothingIsNothing) {
  EXPECT_EQ(slice(0, 3, 1), "");
}

}  // namespace
}  // namespace bellows::activator
