// The sliding maximum beside a plain list of all samples; what is saved of it.
#include "recommender/core/local_maximum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {
namespace {

using std::chrono::seconds;

constexpr Duration kWindow = std::chrono::minutes(64);  // slices of a minute
constexpr Duration kSlice = std::chrono::minutes(1);

WallTime after(Duration duration) {
  return kReplayEpoch + duration;
}

/// All samples, each reported under the beginning of its slice.
class PlainList {
 public:
  void add(double amount, WallTime at) {
    WallTime begin(at.time_since_epoch() - at.time_since_epoch() % kSlice);
    if (!samples_.empty()) begin = std::max(begin, samples_.back().first);
    samples_.emplace_back(begin, amount);
  }
  std::optional<double> maximum(WallTime now) const {
    std::optional<double> highest;
    for (const auto& [begin, amount] : samples_) {
      if (now - begin > kWindow + kSlice) continue;
      highest = std::max(highest.value_or(0), amount);
    }
    return highest;
  }

 private:
  std::vector<std::pair<WallTime, double>> samples_;
};

/// Amounts that rise, fall and repeat, the same in each run.
class AmountSeries {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 60);  // 0 to 15: many are equal
  }

 private:
  std::uint64_t state_ = 7;
};

std::string saved(const LocalMaximum& maximum) {
  json::Writer line;
  maximum.save(line, "m");
  return line.end_line();
}

LocalMaximum sliding() {
  return {config::MaximumWindow::kSliding, kWindow};
}

TEST(LocalMaximum, SlidingIsTheHighestOfAllSamplesWithinTheWindow) {
  for (const Duration step : {Duration(seconds(7)), Duration(std::chrono::minutes(1)),
                              Duration(std::chrono::minutes(9))}) {
    LocalMaximum maximum = sliding();
    PlainList plain;
    AmountSeries amounts;
    for (int i = 0; i < 600; ++i) {
      // Every fifth is of another replica and a little late.
      const WallTime at =
          after(std::chrono::minutes(5) + i * step - (i % 5 == 4 ? seconds(20) : seconds(0)));
      const double amount = amounts.next();
      maximum.add(amount, at);
      plain.add(amount, at);
      const WallTime now = after(std::chrono::minutes(5) + i * step + seconds(i % 3));
      ASSERT_EQ(maximum.maximum(now), plain.maximum(now)) << "sample " << i;
    }
    const WallTime late = after(std::chrono::minutes(5) + 600 * step + kWindow);
    EXPECT_EQ(maximum.maximum(late), plain.maximum(late));
  }
}

TEST(LocalMaximum, FallingSamplesOfAWholeWindowLeaveOneSliceAfterTheOther) {
  LocalMaximum maximum = sliding();
  for (int i = 0; i < 1000; ++i) maximum.add(2000 - i, after(std::chrono::minutes(i)));
  EXPECT_EQ(maximum.maximum(after(std::chrono::minutes(999))), 2000 - 999 + 65);
  EXPECT_EQ(maximum.maximum(after(std::chrono::minutes(1009))), 2000 - 999 + 55);
  EXPECT_EQ(maximum.maximum(after(std::chrono::minutes(1065))), std::nullopt);
}

TEST(LocalMaximum, RestoredInItsMiddleItSavesTheSameBytesEverAfter) {
  LocalMaximum maximum = sliding();
  LocalMaximum restored = sliding();
  AmountSeries amounts;
  for (int i = 0; i < 300; ++i) {
    const double amount = amounts.next();
    const WallTime at = after(i * seconds(100));
    maximum.add(amount, at);
    restored.add(amount, at);
    if (i == 150) {
      restored = sliding();
      const auto object = json::parse_line(saved(maximum), 1);
      ASSERT_TRUE(object);
      ASSERT_TRUE(restored.restore(*object, "m"));
    }
    ASSERT_EQ(saved(restored), saved(maximum)) << "sample " << i;
  }
}

}  // namespace
}  // namespace bellows::recommender
