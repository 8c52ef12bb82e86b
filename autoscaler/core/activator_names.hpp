// Finds activators that share a name, which would count as one.
#pragma once

#include <cstdint>
#include <map>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Owner: the registry. Pure.
class ActivatorNames {
 public:
  /// A name that nobody has used for this long is forgotten.
  static constexpr Duration kForgottenAfter = std::chrono::minutes(1);

  /// `name` was heard from the process that drew `boot`. True once per name: the first time that
  /// two processes are heard under it in turn. One that only follows another one is its restart.
  bool are_two(const PodName& name, std::uint64_t boot, TimePoint now);

 private:
  struct Heard {
    std::uint64_t boot = 0;
    std::uint64_t boot_before = 0;
    bool is_told = false;
    TimePoint at{};
  };

  void forget_old(TimePoint now);

  std::map<PodName, Heard> names_;
};

}  // namespace bellows::autoscaler
