// A cluster in memory whose list, answers and delays are set by the test.
#pragma once

#include <boost/asio/post.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api.hpp"
#include "http/io/net.hpp"

namespace bellows::autoscaler::test {

/// Takes every order at once and lists it, unless told otherwise. Replicas become what set() says.
class ScriptedCluster final : public cluster::Cluster {
 public:
  struct Taken {
    RevisionId revision;
    cluster::ScaleOrder order;
  };

  explicit ScriptedCluster(http::net::io_context& io) : io_(io), held_(io) {}

  /// Lists `revision` from now on.
  void set(cluster::Revision revision) {
    truth_[revision.id] = std::move(revision);
    publish();
  }
  cluster::Revision& truth(const std::string& id) { return truth_.at(RevisionId(id)); }
  void remove(const std::string& id) {
    truth_.erase(RevisionId(id));
    publish();
  }
  /// Makes the truth the list; orders do so too, unless the list is stale.
  void publish() {
    auto next = std::make_shared<cluster::Snapshot>();
    next->version = ++version_;
    for (const auto& [id, revision] : truth_) {
      next->revisions.push_back(std::make_shared<const cluster::Revision>(revision));
    }
    snapshot_ = std::move(next);
    if (changed_) http::net::post(io_, [changed = changed_] { changed(); });
  }

  void list_is_stale(bool stale) { is_stale_ = stale; }
  void is_ready(bool ready) { is_ready_ = ready; }
  /// The next order is refused so; several calls, several orders.
  void handle_rejection(ErrorKind kind) { faults_.push_back(kind); }
  /// Orders are taken, and answered only after let_go().
  void hold() { is_holding_ = true; }
  void let_go() {
    is_holding_ = false;
    held_.cancel();
  }

  const std::vector<Taken>& orders() const { return orders_; }
  int under_way() const { return under_way_; }
  int max_under_way() const { return max_under_way_; }

  cluster::SnapshotPtr snapshot() const override { return snapshot_; }
  bool ready() const override { return is_ready_; }

  std::unique_ptr<cluster::Subscription> subscribe(std::function<void()> changed) override {
    changed_ = std::move(changed);
    return std::make_unique<cluster::Subscription>();
  }

  http::Awaitable<Result<void>> scale(RevisionId revision, cluster::ScaleOrder order) override {
    orders_.push_back({revision, order});
    max_under_way_ = std::max(max_under_way_, ++under_way_);
    if (is_holding_) {
      held_.expires_at(http::AsioTimer::time_point::max());
      boost::system::error_code cancelled;
      co_await held_.async_wait(http::awaiting(cancelled));
    }
    --under_way_;
    if (!faults_.empty()) {
      const ErrorKind kind = faults_.front();
      faults_.pop_front();
      co_return fail(kind, "revision " + revision.text(), "refused by the script");
    }
    truth_.at(revision).requested = order.desired;
    if (!is_stale_) publish();
    co_return Result<void>();
  }

  http::Awaitable<Result<void>> retire(RevisionId revision) override {
    cluster::Revision& retired = truth_.at(revision);
    if (retired.retired) co_return fail(ErrorKind::kGone, "revision " + revision.text(), "retired");
    retired.retired = true;
    publish();
    co_return Result<void>();
  }

 private:
  http::net::io_context& io_;
  http::AsioTimer held_;
  std::map<RevisionId, cluster::Revision> truth_;
  cluster::SnapshotPtr snapshot_ = std::make_shared<const cluster::Snapshot>();
  std::uint64_t version_ = 0;
  bool is_ready_ = true;
  bool is_stale_ = false;
  bool is_holding_ = false;
  std::deque<ErrorKind> faults_;
  std::vector<Taken> orders_;
  int under_way_ = 0;
  int max_under_way_ = 0;
  std::function<void()> changed_;
};

}  // namespace bellows::autoscaler::test
