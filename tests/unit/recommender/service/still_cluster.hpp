// A cluster that is as the test says and takes down the sizes it is reported.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/resources.hpp"

namespace bellows::recommender {

class StillCluster final : public cluster::Cluster, public cluster::SizeWriter {
 public:
  /// One service "web" in mode auto, first requests 100m and 64Mi, with one ready replica.
  StillCluster() {
    web.id = RevisionId("web");
    web.settings.resources = {config::ResourcesMode::kAuto, Millicores{100}, mebibytes(64)};
    web.requested = 1;
    cluster::Replica replica;
    replica.name = PodName("web-1");
    replica.phase = cluster::ReplicaPhase::kReady;
    replica.size = {Millicores{100}, mebibytes(64), std::nullopt};
    web.replicas.push_back(std::make_shared<const cluster::Replica>(std::move(replica)));
    publish();
  }

  /// Lists `web` as it is now.
  void publish() { list_.put(std::make_shared<const cluster::Revision>(web)); }
  /// The only replica becomes what `change` makes of it.
  void change_replica(const std::function<void(cluster::Replica&)>& change) {
    cluster::Replica replica = *web.replicas.front();
    change(replica);
    web.replicas.front() = std::make_shared<const cluster::Replica>(std::move(replica));
    publish();
  }

  const cluster::RevisionList& revisions() const override { return list_; }
  bool ready() const override { return true; }
  std::optional<TimePoint> unreachable_since() const override { return std::nullopt; }
  std::unique_ptr<cluster::Subscription> subscribe(OnChange) override { return nullptr; }
  http::Awaitable<Result<void>> scale(RevisionId, cluster::ScaleOrder) override {
    co_return Result<void>();
  }
  http::Awaitable<Result<void>> set_state(RevisionId, cluster::RevisionState) override {
    co_return Result<void>();
  }
  void report(RevisionId, cluster::Report) override {}

  std::string unsupported_reason() const override { return why_not; }
  http::Awaitable<Result<void>> set_size_of_new_replicas(RevisionId, ReplicaSize size) override {
    for_new.push_back(size);
    co_return Result<void>();
  }
  http::Awaitable<Result<void>> resize(RevisionId, PodName replica, ReplicaSize size) override {
    if (refuses) co_return fail(ErrorKind::kSystem, "memory.limit_in_bytes", "device busy");
    resizes.emplace_back(replica, size);
    if (web.find(replica) != nullptr) change_replica([&](auto& each) { each.size = size; });
    co_return Result<void>();
  }

  cluster::Revision web;
  std::string why_not;
  bool refuses = false;
  std::vector<ReplicaSize> for_new;
  std::vector<std::pair<PodName, ReplicaSize>> resizes;

 private:
  cluster::RevisionList list_;
};

}  // namespace bellows::recommender
