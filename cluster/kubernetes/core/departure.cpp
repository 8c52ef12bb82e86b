#include "cluster/kubernetes/core/departure.hpp"

namespace bellows::cluster {

void Departure::namespace_changed(bool is_there, TimePoint now) {
  if (is_there) {
    namespace_ends_.reset();
  } else if (!namespace_ends_) {
    namespace_ends_ = now;
  }
}

PathsEnd Departure::at(TimePoint now) const {
  const Duration rights = is_ordered_ ? kRightsOfPods : kRights;
  if (namespace_ends_ && now >= *namespace_ends_ + rights) return PathsEnd::kAtOnce;
  const bool is_leaving = namespace_ends_ || !is_definition_there_ || is_last_;
  return is_leaving ? PathsEnd::kOnceServed : PathsEnd::kStay;
}

}  // namespace bellows::cluster
