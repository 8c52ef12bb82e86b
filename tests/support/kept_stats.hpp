// A StatSink that records everything.
#pragma once

#include <vector>

#include "metrics/stat.hpp"

namespace bellows::test {

class KeptStats final : public metrics::StatSink {
 public:
  void accept(const metrics::Stat& stat) override { stats.push_back(stat); }
  void accept(const metrics::ScaleFromZeroTrigger& trigger) override {
    triggers.push_back(trigger);
  }

  std::vector<metrics::Stat> stats;
  std::vector<metrics::ScaleFromZeroTrigger> triggers;
};

}  // namespace bellows::test
