#include "cluster/local/snapshot_publisher.hpp"

#include <algorithm>
#include <utility>

namespace bellows::cluster {

SnapshotPublisher::SnapshotPublisher(http::net::io_context& io,
                                     std::vector<std::shared_ptr<const Revision>> revisions)
    : snapshot_(std::make_shared<const Snapshot>(
          Snapshot{.version = 1, .revisions = std::move(revisions)})),
      subscribers_(io) {}

void SnapshotPublisher::publish(std::shared_ptr<const Revision> revision) {
  auto next = std::make_shared<Snapshot>(*snapshot_);
  const auto place = std::ranges::find_if(
      next->revisions, [&](const auto& listed) { return listed->id == revision->id; });
  if (**place == *revision) return;
  *place = std::move(revision);
  ++next->version;
  snapshot_ = std::move(next);
  subscribers_.notify();
}

}  // namespace bellows::cluster
