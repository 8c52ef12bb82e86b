// A cluster that lists what a benchmark publishes, and a receiver of stats that nobody reads.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "cluster/list_publisher.hpp"
#include "metrics/stat.hpp"

namespace bellows {

/// Takes every order and carries none out. Thread: the io thread.
class PublishedCluster final : public cluster::Cluster {
 public:
  explicit PublishedCluster(http::net::io_context& io) : publisher(io) {}

  const cluster::RevisionList& revisions() const override { return publisher.list(); }
  bool ready() const override { return true; }
  std::optional<TimePoint> unreachable_since() const override { return std::nullopt; }
  std::unique_ptr<cluster::Subscription> subscribe(OnChange on_change) override {
    return publisher.subscribe(std::move(on_change));
  }
  http::Awaitable<Result<void>> scale(RevisionId, cluster::ScaleOrder) override {
    co_return Result<void>();
  }
  http::Awaitable<Result<void>> set_state(RevisionId, cluster::RevisionState) override {
    co_return Result<void>();
  }
  void report(RevisionId, cluster::Report) override {}

  cluster::ListPublisher publisher;
};

class IgnoredStats final : public metrics::StatSink {
  void accept(const metrics::Stat&) override {}
  void accept(const metrics::ScaleFromZeroTrigger&) override {}
};

}  // namespace bellows
