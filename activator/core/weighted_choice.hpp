// Selects the next of several weighted choices: smooth weighted round robin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bellows::activator {

/// Each turn every choice gains its weight; the one with the most is taken and loses the sum of the
/// weights. So in each `sum` turns every choice is taken exactly `weight` times, evenly spread ("a
/// a b a a" for 4:1). It costs one addition per choice and turn, and is the method of nginx's
/// upstream module. Pure.
class WeightedChoice {
 public:
  WeightedChoice() = default;
  /// The weights are at least 0; a choice of weight 0 is never taken.
  explicit WeightedChoice(const std::vector<std::int32_t>& weights) {
    for (const std::int32_t weight : weights) {
      choices_.push_back({.weight = weight, .gained = 0});
      sum_ += weight;
    }
  }

  /// Returns the index of the next one; 0 if all weights are 0, or if there is only one.
  std::size_t next() {
    std::size_t best = 0;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      choices_[i].gained += choices_[i].weight;
      if (choices_[i].gained > choices_[best].gained) best = i;
    }
    if (best < choices_.size()) choices_[best].gained -= sum_;
    return best;
  }

 private:
  struct Choice {
    std::int64_t weight;
    std::int64_t gained;
  };
  std::vector<Choice> choices_;
  std::int64_t sum_ = 0;
};

}  // namespace bellows::activator
