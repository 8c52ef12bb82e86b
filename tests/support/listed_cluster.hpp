// A cluster that is nothing but a list.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/list_publisher.hpp"

namespace bellows::test {

/// What the test lists is there at once; orders succeed and change nothing.
class ListedCluster final : public cluster::Cluster {
 public:
  explicit ListedCluster(http::net::io_context& io) : publisher_(io) {}

  /// The revision and its ready replicas, each with "secret of NAME" and "uid of NAME".
  void set_listed(const RevisionId& id, const std::vector<std::string>& pods) {
    cluster::Revision revision;
    revision.id = id;
    for (const std::string& pod : pods) {
      cluster::Replica replica;
      replica.name = PodName(pod);
      replica.phase = cluster::ReplicaPhase::kReady;
      replica.stat_secret = "secret of " + pod;
      replica.uid = "uid of " + pod;
      revision.replicas.push_back(std::make_shared<const cluster::Replica>(std::move(replica)));
    }
    publisher_.replace_all({std::make_shared<const cluster::Revision>(std::move(revision))});
  }
  void use_secrets() { has_secrets_ = true; }
  void use_tokens(cluster::SenderTokens& tokens) { tokens_ = &tokens; }
  void set_activators(const std::vector<std::string>& names) {
    std::vector<cluster::Activator> all;
    for (const std::string& name : names) {
      all.push_back(
          {.name = PodName(name), .address = "", .node = "", .zone = "", .is_ready = true});
    }
    publisher_.set_activators(std::move(all));
  }

  const cluster::RevisionList& revisions() const override { return publisher_.list(); }
  bool ready() const override { return true; }
  std::optional<TimePoint> unreachable_since() const override { return std::nullopt; }
  std::unique_ptr<cluster::Subscription> subscribe(OnChange on_change) override {
    return publisher_.subscribe(std::move(on_change));
  }
  http::Awaitable<Result<void>> scale(RevisionId, cluster::ScaleOrder) override {
    co_return Result<void>();
  }
  http::Awaitable<Result<void>> set_state(RevisionId, cluster::RevisionState) override {
    co_return Result<void>();
  }
  void report(RevisionId, cluster::Report) override {}
  const std::vector<cluster::Activator>& activators() const override {
    return publisher_.activators();
  }
  bool has_stat_secrets() const override { return has_secrets_; }
  cluster::SenderTokens* sender_tokens() const override { return tokens_; }

 private:
  cluster::ListPublisher publisher_;
  bool has_secrets_ = false;
  cluster::SenderTokens* tokens_ = nullptr;
};

}  // namespace bellows::test
