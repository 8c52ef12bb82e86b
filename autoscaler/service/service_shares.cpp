#include "autoscaler/service/service_shares.hpp"

namespace bellows::autoscaler {
namespace {

/// Counts a share as the activator does.
std::int64_t share_of(const cluster::Revision& listed) {
  return listed.is_retired() ? 0 : listed.share;
}

}  // namespace

void ServiceShares::update(const cluster::Revision* before, const cluster::Revision* now) {
  const auto add = [this](const RevisionId& service, std::int64_t share) {
    if (service.empty() || share == 0) return;
    const auto sum = sums_.try_emplace(service).first;
    sum->second += share;
    if (sum->second == 0) sums_.erase(sum);
  };
  if (now != nullptr) add(now->service, share_of(*now));
  if (before != nullptr) add(before->service, -share_of(*before));
}

double ServiceShares::part_of(const cluster::Revision& listed) const {
  if (listed.service.empty()) return 1;  // it is alone
  const std::int64_t share = share_of(listed);
  if (share == 0) return 0;
  return static_cast<double>(share) / static_cast<double>(sums_.at(listed.service));
}

}  // namespace bellows::autoscaler
