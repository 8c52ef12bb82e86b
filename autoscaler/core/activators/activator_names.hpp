// Detects activators that share a name and would therefore count as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Owner: the registry. Pure.
class ActivatorNames {
 public:
  /// A name without a report for this long is forgotten.
  static constexpr Duration kForgottenAfter = std::chrono::minutes(1);

  /// The processes of one name that are remembered: those that reported last.
  static constexpr std::size_t kBoots = 8;

  /// Records a report under `name` from the process with the random id `boot`. Returns true once
  /// per name: when a process reports again after another one did. A process that only follows
  /// another is its restart.
  bool is_duplicate(const PodName& name, std::uint64_t boot, TimePoint now);

 private:
  struct Processes {
    std::vector<std::uint64_t> boots;  // at most kBoots, the newest last
    bool is_reported = false;
    TimePoint at{};
  };

  std::map<PodName, Processes> names_;
};

}  // namespace bellows::autoscaler
