// A StatSink that records everything.
#pragma once

#include <vector>

#include "metrics/stat.hpp"

namespace bellows::test {

class KeptStats final : public metrics::StatSink {
 public:
  void accept(const metrics::Stat& stat) override { stats.push_back(stat); }
  void accept(const metrics::Wake& wake) override { wakes.push_back(wake); }

  std::vector<metrics::Stat> stats;
  std::vector<metrics::Wake> wakes;
};

}  // namespace bellows::test
