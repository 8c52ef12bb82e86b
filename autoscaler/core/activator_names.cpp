#include "autoscaler/core/activator_names.hpp"

#include <utility>

namespace bellows::autoscaler {

bool ActivatorNames::are_two(const PodName& name, std::uint64_t boot, TimePoint now) {
  auto known = names_.find(name);
  if (known == names_.end()) {
    forget_old(now);
    known = names_.emplace(name, Heard{}).first;
  }
  Heard& heard = known->second;
  heard.at = now;
  if (!heard.boots.empty() && heard.boots.back() == boot) return false;
  const bool is_in_turn = std::erase(heard.boots, boot) > 0;
  if (heard.boots.size() == kBoots) heard.boots.erase(heard.boots.begin());
  heard.boots.push_back(boot);
  return is_in_turn && !std::exchange(heard.is_told, true);
}

void ActivatorNames::forget_old(TimePoint now) {
  std::erase_if(names_, [&](const auto& name) { return now - name.second.at > kForgottenAfter; });
}

}  // namespace bellows::autoscaler
