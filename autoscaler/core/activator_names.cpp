#include "autoscaler/core/activator_names.hpp"

#include <utility>

namespace bellows::autoscaler {

bool ActivatorNames::are_two(const PodName& name, std::uint64_t boot, TimePoint now) {
  auto known = names_.find(name);
  if (known == names_.end()) {
    forget_old(now);
    known = names_.emplace(name, Heard{.boot = boot, .boot_before = boot}).first;
  }
  Heard& heard = known->second;
  heard.at = now;
  if (boot == heard.boot) return false;
  const bool is_in_turn = boot == heard.boot_before;
  heard.boot_before = std::exchange(heard.boot, boot);
  return is_in_turn && !std::exchange(heard.is_told, true);
}

void ActivatorNames::forget_old(TimePoint now) {
  std::erase_if(names_, [&](const auto& name) { return now - name.second.at > kForgottenAfter; });
}

}  // namespace bellows::autoscaler
