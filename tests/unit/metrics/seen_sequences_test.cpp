#include "metrics/seen_sequences.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace bellows::metrics {
namespace {

using Outcome = SeenSequences::Outcome;

TEST(SeenSequences, KnowsEachNumberOnce) {
  SeenSequences seen(100);
  for (const std::uint64_t q : {5U, 6U, 9U, 7U}) EXPECT_EQ(seen.mark(1, q), Outcome::kNew) << q;
  for (const std::uint64_t q : {5U, 6U, 7U, 9U}) EXPECT_EQ(seen.mark(1, q), Outcome::kSeen) << q;
  EXPECT_EQ(seen.mark(1, 8), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 4), Outcome::kNew);
}

TEST(SeenSequences, AJumpForgetsWhatIsTooFarBack) {
  SeenSequences seen(128);
  EXPECT_EQ(seen.mark(1, 10), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 10 + 128), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 10), Outcome::kTooFarBack);
  EXPECT_EQ(seen.mark(1, 11), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 1'000'000), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 999'999), Outcome::kNew) << "the jump left no marks behind";
}

TEST(SeenSequences, TheSameNumberOfAnotherBootIsAnother) {
  SeenSequences seen(64);
  EXPECT_EQ(seen.mark(1, 3), Outcome::kNew);
  EXPECT_EQ(seen.mark(2, 3), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 3), Outcome::kSeen);
  EXPECT_EQ(seen.mark(2, 3), Outcome::kSeen);
}

TEST(SeenSequences, BootZeroAndTheLargestNumbersAreOrdinary) {
  SeenSequences seen(64);
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(seen.mark(0, kLargest - 1), Outcome::kNew);
  EXPECT_EQ(seen.mark(0, kLargest), Outcome::kNew);
  EXPECT_EQ(seen.mark(0, kLargest), Outcome::kSeen);
  EXPECT_EQ(seen.mark(0, 0), Outcome::kTooFarBack);
}

TEST(SeenSequences, AFifthBootPushesOutTheQuietestOne) {
  SeenSequences seen(64);
  for (std::uint64_t boot = 1; boot <= 4; ++boot) EXPECT_EQ(seen.mark(boot, 7), Outcome::kNew);
  EXPECT_EQ(seen.mark(1, 8), Outcome::kNew);
  EXPECT_EQ(seen.mark(5, 7), Outcome::kNew);
  for (const std::uint64_t boot : {1U, 3U, 4U, 5U}) EXPECT_EQ(seen.mark(boot, 7), Outcome::kSeen);
  EXPECT_EQ(seen.mark(2, 7), Outcome::kNew) << "forgotten";
}

TEST(SeenSequencesResize, KeepsTheMarksThatBothSpansHold) {
  SeenSequences seen(256);
  for (std::uint64_t q = 0; q < 300; q += 2) EXPECT_EQ(seen.mark(9, q), Outcome::kNew);
  seen.resize(64);
  EXPECT_EQ(seen.mark(9, 298 - 62), Outcome::kSeen);
  EXPECT_EQ(seen.mark(9, 298 - 61), Outcome::kNew);
  EXPECT_EQ(seen.mark(9, 298 - 64), Outcome::kTooFarBack);
  seen.resize(512);
  EXPECT_EQ(seen.mark(9, 298 - 62), Outcome::kSeen);
  EXPECT_EQ(seen.mark(9, 298 - 61), Outcome::kSeen);
}

}  // namespace
}  // namespace bellows::metrics
