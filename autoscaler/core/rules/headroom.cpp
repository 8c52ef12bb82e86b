#include "autoscaler/core/rules/headroom.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {

double most_room(const ScalingSpec& spec, double load) {
  return load * (spec.total / spec.target - 1);
}

double replicas_for(const ScalingSpec& spec, double load, double dispersion) {
  if (spec.rules.headroom == config::Headroom::kUtilization) return load / spec.target;
  const double room = spec.free_deviations * std::sqrt(load * dispersion);
  return (load + std::min(room, most_room(spec, load))) / spec.total;
}

}  // namespace bellows::autoscaler
