#include "autoscaler/core/rules/headroom.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {

double replicas_for(const ScalingSpec& spec, double load) {
  if (spec.rules.headroom == config::Headroom::kUtilization) return load / spec.target;
  const double room = spec.free_deviations * std::sqrt(load);
  const double most = load * (spec.total / spec.target - 1);
  return (load + std::min(room, most)) / spec.total;
}

}  // namespace bellows::autoscaler
