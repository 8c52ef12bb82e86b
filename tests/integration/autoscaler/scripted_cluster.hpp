// A cluster in memory whose list, answers and delays are set by the test.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/list_publisher.hpp"
#include "http/io/net.hpp"

namespace bellows::autoscaler::test {

/// Takes every order at once and lists it, unless told otherwise. Replicas become what set() says.
class ScriptedCluster final : public cluster::Cluster {
 public:
  struct Taken {
    RevisionId revision;
    cluster::ScaleOrder order;
  };

  explicit ScriptedCluster(http::net::io_context& io) : publisher_(io), held_(io) {}

  /// Lists `revision` from now on.
  void set(cluster::Revision revision) {
    const RevisionId id = revision.id;
    truth_[id] = std::move(revision);
    publish();
  }
  cluster::Revision& truth(const std::string& id) { return truth_.at(RevisionId(id)); }
  void remove(const std::string& id) {
    truth_.erase(RevisionId(id));
    publish();
  }
  /// Makes the truth the list; orders do so too, unless the list is stale.
  void publish() {
    std::vector<cluster::RevisionPtr> all;
    for (const auto& [id, revision] : truth_) {
      all.push_back(std::make_shared<const cluster::Revision>(revision));
    }
    publisher_.replace_all(std::move(all));
  }

  void list_is_stale(bool stale) { is_stale_ = stale; }
  void is_ready(bool ready) { is_ready_ = ready; }
  /// Another autoscaler gives the orders.
  void stand_by(bool on) { is_standby_ = on; }
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

  /// All reports, in order.
  const std::vector<std::pair<RevisionId, cluster::Report>>& reports() const { return reports_; }
  void is_unreachable(std::optional<TimePoint> since) { unreachable_since_ = since; }

  void set_activators(std::vector<cluster::Activator> activators) {
    publisher_.set_activators(std::move(activators));
  }
  /// All orders of paths, in order.
  const std::vector<cluster::PathOrder>& path_orders() const { return path_orders_; }

  const std::vector<cluster::Activator>& activators() const override {
    return publisher_.activators();
  }
  void route(RevisionId /*revision*/, cluster::PathOrder order) override {
    path_orders_.push_back(std::move(order));
  }

  const cluster::RevisionList& revisions() const override { return publisher_.list(); }
  bool ready() const override { return is_ready_; }
  bool takes_orders() const override { return !is_standby_; }
  std::optional<TimePoint> unreachable_since() const override { return unreachable_since_; }

  std::unique_ptr<cluster::Subscription> subscribe(OnChange on_change) override {
    return publisher_.subscribe(std::move(on_change));
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

  http::Awaitable<Result<void>> set_state(RevisionId revision,
                                          cluster::RevisionState state) override {
    cluster::Revision& listed = truth_.at(revision);
    if (listed.is_retired() && state != cluster::RevisionState::kRetired) {
      co_return fail(ErrorKind::kGone, "revision " + revision.text(), "retired");
    }
    listed.state = state;
    publish();
    co_return Result<void>();
  }
  void report(RevisionId revision, cluster::Report report) override {
    reports_.emplace_back(std::move(revision), std::move(report));
  }

 private:
  cluster::ListPublisher publisher_;
  http::AsioTimer held_;
  std::map<RevisionId, cluster::Revision> truth_;
  std::vector<std::pair<RevisionId, cluster::Report>> reports_;
  std::optional<TimePoint> unreachable_since_;
  bool is_ready_ = true;
  bool is_standby_ = false;
  bool is_stale_ = false;
  bool is_holding_ = false;
  std::deque<ErrorKind> faults_;
  std::vector<Taken> orders_;
  std::vector<cluster::PathOrder> path_orders_;
  int under_way_ = 0;
  int max_under_way_ = 0;
};

}  // namespace bellows::autoscaler::test
