// Finds activators that share a name, which would count as one.
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
  /// A name that nobody has used for this long is forgotten.
  static constexpr Duration kForgottenAfter = std::chrono::minutes(1);

  /// As many processes of one name are found out; the last that were heard are remembered.
  static constexpr std::size_t kBoots = 8;

  /// `name` was heard from the process that drew `boot`. True once per name: the first time that
  /// a process is heard again after another one. One that only follows another one is its restart.
  bool are_two(const PodName& name, std::uint64_t boot, TimePoint now);

 private:
  struct Heard {
    std::vector<std::uint64_t> boots;  // at most kBoots, the newest last
    bool is_told = false;
    TimePoint at{};
  };

  void forget_old(TimePoint now);

  std::map<PodName, Heard> names_;
};

}  // namespace bellows::autoscaler
