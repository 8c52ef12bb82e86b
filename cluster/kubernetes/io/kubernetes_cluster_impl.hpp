// The parts of a KubernetesCluster. Internal to it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/departure.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/outage.hpp"
#include "cluster/kubernetes/io/adopter.hpp"
#include "cluster/kubernetes/io/event_writer.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/io/path_keeper.hpp"
#include "cluster/kubernetes/io/pod_tokens.hpp"
#include "cluster/kubernetes/io/scale_writer.hpp"
#include "cluster/kubernetes/io/status_writer.hpp"
#include "cluster/kubernetes/io/usage_reader.hpp"
#include "cluster/kubernetes/io/watches.hpp"
#include "cluster/list_publisher.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cluster {

/// Owner: the KubernetesCluster. Thread: the io thread.
class KubernetesCluster::Impl {
 public:
  Impl(http::net::io_context& io, const sys::Clock& clock, Random& random,
       kubernetes::ApiClient& client, KubernetesOptions options)
      : clock_(clock),
        random_(random),
        client_(client),
        role_(options.role),
        own_deployment_(std::move(options.own_deployment)),
        directory_(std::move(options.check)),
        publisher_(io),
        tasks_(io),
        watches_(io, client, random, options.ns, directory_, watch_callbacks()),
        usage_(clock, client, std::move(options.ns),
               [this](UsageReading reading) { usage_read(std::move(reading)); }),
        events_(clock, client, tasks_, outage_),
        paths_(path_parts(io), options.paths),
        scale_({.clock = clock,
                .client = client,
                .tasks = tasks_,
                .directory = directory_,
                .watches = watches_,
                .outage = outage_,
                .events = events_,
                .changed = [this](const RevisionId& id) { written(id); }}),
        statuses_(
            clock, client, tasks_, directory_, outage_,
            [this](const RevisionId& id, const Record& record) { return standing(id, record); }),
        adopter_(clock, client, tasks_, directory_, scale_, events_) {
    const std::string& activators = options.paths.activator_service;
    const std::string ns = activators.substr(0, activators.find('/'));
    if (paths_.is_on()) watches_.want_slices(ns);
    if (options.verifies_tokens) {
      tokens_.emplace(kubernetes::TokenVerifier::Parts{io, clock, client, tasks_},
                      ns.empty() ? client.credentials().ns() : ns);
    }
  }

  void start() {
    if (role_ == KubernetesRole::kAutoscaler) events_.start();
    paths_.start();
    tasks_.spawn("discovery", [this] { return discover(); });
    tasks_.spawn("kubernetes", [this] { return keep_time(); });
    if (role_ != KubernetesRole::kActivator) {
      tasks_.spawn("usage", [this] { return usage_.run(); });
    }
  }

  http::Awaitable<void> stop(TimePoint deadline) {
    tasks_.stop();
    watches_.stop();
    const Result<void> watches = co_await watches_.join(deadline);
    const Result<void> writers = co_await tasks_.join(deadline);
    for (const Result<void>* each : {&watches, &writers}) {
      if (*each) continue;
      sys::log::warning("the cluster still has work", {{"error", to_string(each->error())}});
    }
  }

  ListPublisher& publisher() { return publisher_; }
  bool ready() const { return is_ready_; }
  std::optional<TimePoint> unreachable_since() const { return outage_.since(); }
  const Watches& watches() const { return watches_; }
  SenderTokens* sender_tokens() { return tokens_ ? &*tokens_ : nullptr; }

  http::Awaitable<Result<void>> scale(RevisionId id, ScaleOrder order) {
    const Record* record = directory_.find(id);
    if (record == nullptr) {
      co_return fail(ErrorKind::kNotFound, "revision " + id.text(), "is not listed");
    }
    if (record->object->state == RevisionState::kRetired) {
      co_return fail(ErrorKind::kGone, "revision " + id.text(), "is retired");
    }
    if (const auto allowed = may_go_to(id, *record, order.desired); !allowed) {
      co_return fail(allowed.error());
    }
    co_return co_await scale_.order(std::move(id), std::move(order));
  }

  void route(const RevisionId& id, PathOrder order) {
    if (role_ != KubernetesRole::kActivator) paths_.order(id, std::move(order));
  }

  http::Awaitable<Result<void>> set_state(RevisionId id, RevisionState state);

  void report(const RevisionId& id, Report report) {
    if (role_ == KubernetesRole::kActivator) return;
    const Record* const record = directory_.find(id);
    if (record == nullptr) return;
    reports_[id] = std::move(report);
    if (role_ == KubernetesRole::kStandby) return;
    if (record->is_joined) tell_findings(id, *record);
    statuses_.look_at(id);
  }

  std::string not_ready_reason() const;

  /// The one that holds the lease may not know yet that it has run out, after a stop of the process
  /// for example: its role is still kAutoscaler.
  bool takes_orders() const { return role_ != KubernetesRole::kStandby && client_.may_write(); }
  void take_over();

  http::Awaitable<void> leave_if_uninstalled(TimePoint deadline);
  void hand_over(PodName self) { paths_.hand_over(std::move(self)); }

 private:
  http::Awaitable<void> discover();
  http::Awaitable<void> keep_time();
  http::Awaitable<void> join_later();
  void join_soon();
  void join();
  void drain_if_retired(const Revision& revision);
  void usage_read(UsageReading reading);
  void observe_outage();
  void publish_outage();
  WatchCallbacks watch_callbacks();
  PathKeeper::Parts path_parts(http::net::io_context& io);
  void revision_changed(const RevisionObjectPtr& before, const RevisionObjectPtr& after);
  RevisionObjectPtr in_place_of(const RevisionId& id, const Record* record);
  void slice_changed(const SlicePtr& before, const SlicePtr& after);
  void follow_stand_in(const RevisionId& id);
  void path_changed(const RevisionId& id);
  http::Awaitable<void> remove_later(RevisionId id);
  void definition_changed(const BareObjectPtr& after);
  void namespace_changed(const BareObjectPtr& after);
  void leave();
  bool is_leaving() const { return paths_end_ != PathsEnd::kStay; }
  bool has_successor() const { return !is_uninstalled_ && !departure_.is_namespace_ending(); }
  void restore_all();
  bool is_at_zero(const RevisionId& id) const;
  bool has_left() const;
  void look_at_own_deployment();
  void restore(const RevisionId& id, PodCount replicas);
  http::Awaitable<void> order_restored(RevisionId id, PodCount replicas);
  Result<void> may_go_to(const RevisionId& id, const Record& record, PodCount desired);
  void tell_findings(const RevisionId& id, const Record& record);
  void forget(const RevisionId& id);
  RevisionId port_recorder() const;
  void look_at_status(const RevisionId& id);
  void written(const RevisionId& id);
  Standing standing(const RevisionId& id, const Record& record) const;

  const sys::Clock& clock_;
  Random& random_;
  kubernetes::ApiClient& client_;
  KubernetesRole role_;
  const std::string own_deployment_;
  Directory directory_;
  Outage outage_;
  std::string order_failure_;  // of every revision, during a long outage
  ListPublisher publisher_;
  http::TaskGroup tasks_;
  Watches watches_;
  UsageReader usage_;
  EventWriter events_;
  PathKeeper paths_;
  ScaleWriter scale_;
  StatusWriter statuses_;
  Adopter adopter_;
  std::optional<PodTokens> tokens_;

  std::string discovery_error_ = "the API server has not responded yet";
  std::optional<TimePoint> discovered_;
  bool is_ready_ = false;
  bool joins_soon_ = false;
  bool was_own_deployment_listed_ = false;
  bool is_uninstalled_ = false;  // its Deployment was deleted
  Departure departure_;
  PathsEnd paths_end_ = PathsEnd::kStay;  // as departure_ had it last
  std::unordered_map<RevisionId, Report> reports_;
  struct Told {
    std::vector<Finding> findings;
    std::optional<TimePoint> no_service_since = {};
  };
  std::unordered_map<RevisionId, Told> told_findings_;
  std::set<RevisionId> retired_;
  std::unordered_map<RevisionId, TimePoint> restored_;  // when the next order may be sent
};

}  // namespace bellows::cluster
