// Randomness as an argument, so that every choice can be replayed.
#pragma once

#include <cstdint>

namespace bellows {

/// A source of uniform random numbers. Programs seed SeededRandom from the system.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;

  /// Returns a uniform number in [0, 1).
  double fraction() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
};

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() override {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bellows
