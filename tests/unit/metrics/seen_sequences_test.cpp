#include "metrics/seen_sequences.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace bellows::metrics {
namespace {

using Answer = SeenSequences::Answer;

TEST(SeenSequences, KnowsEachNumberOnce) {
  SeenSequences seen(100);
  for (const std::uint64_t q : {5U, 6U, 9U, 7U}) EXPECT_EQ(seen.mark(1, q), Answer::kNew) << q;
  for (const std::uint64_t q : {5U, 6U, 7U, 9U}) EXPECT_EQ(seen.mark(1, q), Answer::kSeen) << q;
  EXPECT_EQ(seen.mark(1, 8), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 4), Answer::kNew);
}

TEST(SeenSequences, AJumpForgetsWhatIsTooFarBack) {
  SeenSequences seen(128);
  EXPECT_EQ(seen.mark(1, 10), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 10 + 128), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 10), Answer::kTooFarBack);
  EXPECT_EQ(seen.mark(1, 11), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 1'000'000), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 999'999), Answer::kNew) << "the jump left no marks behind";
}

TEST(SeenSequences, TheSameNumberOfAnotherBootIsAnother) {
  SeenSequences seen(64);
  EXPECT_EQ(seen.mark(1, 3), Answer::kNew);
  EXPECT_EQ(seen.mark(2, 3), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 3), Answer::kSeen);
  EXPECT_EQ(seen.mark(2, 3), Answer::kSeen);
}

TEST(SeenSequences, BootZeroAndTheLargestNumbersAreOrdinary) {
  SeenSequences seen(64);
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(seen.mark(0, kLargest - 1), Answer::kNew);
  EXPECT_EQ(seen.mark(0, kLargest), Answer::kNew);
  EXPECT_EQ(seen.mark(0, kLargest), Answer::kSeen);
  EXPECT_EQ(seen.mark(0, 0), Answer::kTooFarBack);
}

TEST(SeenSequences, AFifthBootPushesOutTheQuietestOne) {
  SeenSequences seen(64);
  for (std::uint64_t boot = 1; boot <= 4; ++boot) EXPECT_EQ(seen.mark(boot, 7), Answer::kNew);
  EXPECT_EQ(seen.mark(1, 8), Answer::kNew);
  EXPECT_EQ(seen.mark(5, 7), Answer::kNew);
  for (const std::uint64_t boot : {1U, 3U, 4U, 5U}) EXPECT_EQ(seen.mark(boot, 7), Answer::kSeen);
  EXPECT_EQ(seen.mark(2, 7), Answer::kNew) << "forgotten";
}

TEST(SeenSequencesResize, KeepsTheMarksThatBothSpansHold) {
  SeenSequences seen(256);
  for (std::uint64_t q = 0; q < 300; q += 2) EXPECT_EQ(seen.mark(9, q), Answer::kNew);
  seen.resize(64);
  EXPECT_EQ(seen.mark(9, 298 - 62), Answer::kSeen);
  EXPECT_EQ(seen.mark(9, 298 - 61), Answer::kNew);
  EXPECT_EQ(seen.mark(9, 298 - 64), Answer::kTooFarBack);
  seen.resize(512);
  EXPECT_EQ(seen.mark(9, 298 - 62), Answer::kSeen);
  EXPECT_EQ(seen.mark(9, 298 - 61), Answer::kSeen);
}

}  // namespace
}  // namespace bellows::metrics
