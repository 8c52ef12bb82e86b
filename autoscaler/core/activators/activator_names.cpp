#include "autoscaler/core/activators/activator_names.hpp"

#include <utility>

namespace bellows::autoscaler {

bool ActivatorNames::is_duplicate(const PodName& name, std::uint64_t boot, TimePoint now) {
  auto known = names_.find(name);
  if (known == names_.end()) {
    std::erase_if(names_, [&](const auto& old) { return now - old.second.at > kForgottenAfter; });
    known = names_.emplace(name, Processes{}).first;
  }
  Processes& processes = known->second;
  processes.at = now;
  if (!processes.boots.empty() && processes.boots.back() == boot) return false;
  const bool is_in_turn = std::erase(processes.boots, boot) > 0;
  if (processes.boots.size() == kBoots) processes.boots.erase(processes.boots.begin());
  processes.boots.push_back(boot);
  return is_in_turn && !std::exchange(processes.is_reported, true);
}

}  // namespace bellows::autoscaler
