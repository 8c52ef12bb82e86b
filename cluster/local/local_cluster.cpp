#include "cluster/local/local_cluster.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "base/sys/log.hpp"
#include "cluster/local/app_groups.hpp"
#include "cluster/local/local_revision.hpp"
#include "cluster/local/prepare_service.hpp"
#include "cluster/local/victims.hpp"
#include "cluster/subscribers.hpp"

namespace bellows::cluster {

namespace log = sys::log;

namespace {

constexpr auto kWait = http::net::as_tuple(http::net::use_awaitable_t<http::Executor>());
/// A killed process is gone within milliseconds, unless the disk or the kernel holds it.
constexpr Duration kLongestKill = std::chrono::seconds(5);

}  // namespace

class LocalCluster::Impl {
 public:
  Impl(http::net::io_context& io, const sys::Clock& clock, Random& random,
       std::vector<config::Service> services, ReplicaPrograms programs, AppGroups groups,
       Duration usage_period)
      : io_(io),
        clock_(clock),
        programs_(std::move(programs)),
        groups_(std::move(groups)),
        usage_period_(usage_period),
        ports_(machine_app_port_range(), random),
        subscribers_(io),
        usage_timer_(io),
        all_gone_(io),
        self_(std::make_shared<Impl*>(this)) {
    for (config::Service& service : services) {
      const RevisionId id = service.name;
      revisions_.emplace(id, LocalRevision(std::move(service), groups_.tree.get()));
    }
    publish_all();
  }

  void send_stats_to(std::string autoscaler_url) {
    programs_.autoscaler_url = std::move(autoscaler_url);
  }

  SnapshotPtr snapshot() const { return snapshot_; }
  std::unique_ptr<Subscription> subscribe(std::function<void()> changed) {
    return subscribers_.add(std::move(changed));
  }
  ShutdownStage stage() const { return stage_; }

  Result<void> scale(const RevisionId& id, const ScaleOrder& order) {
    BELLOWS_TRY(LocalRevision * revision, in_service(id));
    if (order.want < 0) {
      return fail(ErrorKind::kInvalidSetting, "revision " + id.text(),
                  "cannot run " + std::to_string(order.want) + " replicas, want 0 or more");
    }
    const PodCount had = revision->staying();
    revision->requested = order.want;
    if (order.want != had) {
      log::debug(
          "ordered",
          {{"revision", id.text()}, {"from", had}, {"to", order.want}, {"because", order.reason}});
    }
    Result<void> added;
    for (PodCount i = had; i < order.want && added; ++i) added = add_replica(*revision);
    drain_down_to(*revision, order.want, order.drain_first);
    publish(id);
    watch_usage();
    return added;
  }

  Result<void> retire(const RevisionId& id) {
    BELLOWS_TRY(LocalRevision * revision, in_service(id));
    log::info("revision retired", {{"revision", id.text()}});
    revision->is_retired = true;
    revision->requested = 0;
    drain_down_to(*revision, 0, {});
    publish(id);
    return {};
  }

  Result<void> configure(const RevisionId& id, const config::RevisionSettings& settings) {
    BELLOWS_TRY(LocalRevision * revision, in_service(id));
    const bool is_resized = revision->service.settings.resources != settings.resources;
    revision->service.settings = settings;
    if (is_resized) revision->resources.for_new = first_size(settings.resources);
    publish(id);
    return {};
  }

  const std::string& cannot_write() const { return groups_.why_none; }

  Result<void> size_new(const RevisionId& id, const ReplicaSize& size) {
    BELLOWS_TRY(LocalRevision * revision, in_service(id));
    revision->resources.for_new = size;
    return {};
  }

  Result<void> resize(const RevisionId& id, const PodName& name, const ReplicaSize& size) {
    BELLOWS_TRY(LocalRevision * revision, in_service(id));
    LocalReplica* const replica = revision->find(name);
    if (replica == nullptr) {
      return fail(ErrorKind::kNotFound, "replica " + name.text(), "there is none");
    }
    return replica->resize(size);
  }

  void tell(ResourceListener* listener) {
    for (auto& [id, revision] : revisions_) revision.resources.listener = listener;
  }

  http::Awaitable<void> shut_down(TimePoint deadline) {
    enter(ShutdownStage::kDraining);
    for (auto& [id, revision] : revisions_) {
      revision.requested = 0;
      drain_down_to(revision, 0, {});
      publish(id);
    }
    co_await until_all_gone(deadline);
    if (!is_all_gone()) kill_now();
    co_await until_all_gone(clock_.now() + kLongestKill);
    usage_timer_.cancel();
    enter(ShutdownStage::kStopped);
  }

  void kill_now() {
    if (stage_ == ShutdownStage::kStopped) return;
    enter(ShutdownStage::kKilling);
    for (auto& [id, revision] : revisions_) {
      for (const auto& replica : revision.replicas) replica->kill();
    }
  }

 private:
  Result<LocalRevision*> in_service(const RevisionId& id) {
    const auto found = revisions_.find(id);
    const std::string culprit = "revision " + id.text();
    if (found == revisions_.end()) return fail(ErrorKind::kNotFound, culprit, "there is none");
    if (found->second.is_retired) return fail(ErrorKind::kGone, culprit, "is retired");
    if (stage_ != ShutdownStage::kServing) {
      return fail(ErrorKind::kUnavailable, culprit, "Bellows is shutting down");
    }
    return &found->second;
  }

  Result<void> add_replica(LocalRevision& revision) {
    BELLOWS_TRY(PortLease port, ports_.lease());
    const RevisionId& id = revision.service.name;
    PodName name(id.text() + "-" + std::to_string(revision.next_number++));
    revision.replicas.push_back(std::make_unique<LocalReplica>(
        io_, clock_, revision.service, programs_, revision.resources, std::move(name),
        std::move(port), [this, id] { publish_soon(id); }));
    unstarted_.emplace_back(id, revision.replicas.back()->replica().name);
    if (unstarted_.size() == 1) start_next_soon();
    return {};
  }

  /// One replica at a time: a hundred forks in a row would hold up requests for half a second.
  void start_next_soon() {
    http::net::post(io_, [weak = std::weak_ptr(self_)] {
      if (const auto self = weak.lock()) (*self)->start_next();
    });
  }

  void start_next() {
    const auto [id, name] = unstarted_.front();
    if (LocalReplica* replica = revisions_.at(id).find(name)) replica->order();
    unstarted_.pop_front();
    if (!unstarted_.empty()) start_next_soon();
  }

  static void drain_down_to(LocalRevision& revision, PodCount want,
                            const std::vector<PodName>& drain_first) {
    for (const PodName& name : choose_victims(revision.oldest_first(), want, drain_first)) {
      revision.find(name)->drain();
    }
  }

  /// Replicas change in the middle of their own work, so what is gone is removed later.
  void publish_soon(const RevisionId& id) {
    if (std::ranges::find(changed_, id) != changed_.end()) return;
    changed_.push_back(id);
    if (changed_.size() > 1) return;
    http::net::post(io_, [weak = std::weak_ptr(self_)] {
      if (const auto self = weak.lock()) (*self)->publish_changed();
    });
  }

  void publish_changed() {
    for (const RevisionId& id : std::exchange(changed_, {})) {
      std::erase_if(revisions_.at(id).replicas, [](const auto& replica) {
        return replica->replica().phase == ReplicaPhase::kGone;
      });
      publish(id);
    }
    if (is_all_gone()) all_gone_.cancel();
  }

  void publish(const RevisionId& id) {
    std::shared_ptr<const Revision> fresh = revisions_.at(id).publish();
    auto next = std::make_shared<Snapshot>(*snapshot_);
    const auto place = std::ranges::find_if(
        next->revisions, [&](const auto& revision) { return revision->id == id; });
    if (**place == *fresh) return;
    *place = std::move(fresh);
    ++next->version;
    snapshot_ = std::move(next);
    subscribers_.notify();
  }

  void publish_all() {
    auto first = std::make_shared<Snapshot>();
    first->version = 1;
    for (const auto& [id, revision] : revisions_) first->revisions.push_back(revision.publish());
    snapshot_ = std::move(first);
  }

  bool is_all_gone() const {
    return std::ranges::all_of(revisions_,
                               [](const auto& entry) { return entry.second.replicas.empty(); });
  }

  http::Awaitable<void> until_all_gone(TimePoint deadline) {
    all_gone_.expires_at(http::to_steady(deadline));
    while (!is_all_gone() && clock_.now() < deadline) co_await all_gone_.async_wait(kWait);
  }

  void enter(ShutdownStage stage) {
    constexpr std::string_view kNames[] = {"serving", "draining", "killing", "stopped"};
    if (stage_ == stage) return;
    stage_ = stage;
    log::debug("shutdown", {{"stage", kNames[static_cast<int>(stage)]}});
  }

  /// Reads usage as long as there is a replica.
  void watch_usage() {
    if (is_watching_ || is_all_gone()) return;
    is_watching_ = true;
    usage_timer_.expires_after(usage_period_);
    usage_timer_.async_wait([weak = std::weak_ptr(self_)](boost::system::error_code error) {
      const auto self = weak.lock();
      if (error || !self) return;
      std::vector<std::pair<RevisionId, PodName>> all;
      for (const auto& [id, revision] : (*self)->revisions_) {
        for (const auto& replica : revision.replicas) all.emplace_back(id, replica->replica().name);
      }
      (*self)->measure_next(std::move(all));
    });
  }

  /// One replica at a time, so that requests are not held up while /proc is read.
  void measure_next(std::vector<std::pair<RevisionId, PodName>> left) {
    if (left.empty()) {
      for (const auto& [id, revision] : revisions_) publish(id);
      is_watching_ = false;
      return watch_usage();
    }
    const auto [id, name] = std::move(left.back());
    left.pop_back();
    if (LocalReplica* replica = revisions_.at(id).find(name)) replica->measure();
    http::net::post(io_, [weak = std::weak_ptr(self_), left = std::move(left)]() mutable {
      if (const auto self = weak.lock()) (*self)->measure_next(std::move(left));
    });
  }

  http::net::io_context& io_;
  const sys::Clock& clock_;
  ReplicaPrograms programs_;
  const AppGroups groups_;  // outlives the replicas
  const Duration usage_period_;
  PortAllocator ports_;
  std::map<RevisionId, LocalRevision> revisions_;  // never grows or shrinks
  SnapshotPtr snapshot_;
  Subscribers subscribers_;
  std::vector<RevisionId> changed_;  // to be published
  std::deque<std::pair<RevisionId, PodName>> unstarted_;
  http::Timer usage_timer_;
  bool is_watching_ = false;
  ShutdownStage stage_ = ShutdownStage::kServing;
  http::Timer all_gone_;         // cancelled when the last replica has gone
  std::shared_ptr<Impl*> self_;  // pending waits hold it weakly: none outlives us
};

Result<std::unique_ptr<LocalCluster>> LocalCluster::create(http::net::io_context& io,
                                                           const sys::Clock& clock, Random& random,
                                                           std::vector<config::Service> services,
                                                           LocalClusterOptions options) {
  AppGroups groups = app_groups_for(services, options.make_groups);
  BELLOWS_TRY(std::string keeper, own_program(options.keeper, "replica-keeper"));
  BELLOWS_TRY(std::string queue_proxy, own_program(options.queue_proxy, "queue-proxy"));
  std::vector<config::Service> all;
  for (config::Service& service : services) {
    if (std::ranges::find(all, service.name, &config::Service::name) != all.end()) {
      return fail(ErrorKind::kConflict, "service " + service.name.text(), "is listed twice");
    }
    BELLOWS_TRY(config::Service ready, prepared(std::move(service)));
    all.push_back(std::move(ready));
  }
  ReplicaPrograms programs{std::move(queue_proxy), std::move(keeper),
                           std::move(options.autoscaler_url), std::move(options.log_format)};
  std::unique_ptr<LocalCluster> cluster(new LocalCluster);
  cluster->impl_ = std::make_unique<Impl>(io, clock, random, std::move(all), std::move(programs),
                                          std::move(groups), options.usage_period);
  return cluster;
}

void LocalCluster::send_stats_to(std::string autoscaler_url) {
  impl_->send_stats_to(std::move(autoscaler_url));
}

LocalCluster::LocalCluster() = default;
LocalCluster::~LocalCluster() = default;

SnapshotPtr LocalCluster::snapshot() const {
  return impl_->snapshot();
}

bool LocalCluster::ready() const {
  return true;
}

std::unique_ptr<Subscription> LocalCluster::subscribe(std::function<void()> changed) {
  return impl_->subscribe(std::move(changed));
}

http::Awaitable<Result<void>> LocalCluster::scale(RevisionId revision, ScaleOrder order) {
  co_return impl_->scale(revision, order);
}

http::Awaitable<Result<void>> LocalCluster::retire(RevisionId revision) {
  co_return impl_->retire(revision);
}

std::string LocalCluster::cannot_write() const {
  return impl_->cannot_write();
}

http::Awaitable<Result<void>> LocalCluster::size_new(RevisionId revision, ReplicaSize size) {
  co_return impl_->size_new(revision, size);
}

http::Awaitable<Result<void>> LocalCluster::resize(RevisionId revision, PodName replica,
                                                   ReplicaSize size) {
  co_return impl_->resize(revision, replica, size);
}

Result<void> LocalCluster::configure(const RevisionId& revision,
                                     const config::RevisionSettings& settings) {
  return impl_->configure(revision, settings);
}

void LocalCluster::tell(ResourceListener* listener) {
  impl_->tell(listener);
}

http::Awaitable<void> LocalCluster::shut_down(TimePoint deadline) {
  CHECK(impl_->stage() == ShutdownStage::kServing, "a cluster is shut down once");
  co_await impl_->shut_down(deadline);
}

void LocalCluster::kill_now() {
  impl_->kill_now();
}

ShutdownStage LocalCluster::shutdown_stage() const {
  return impl_->stage();
}

}  // namespace bellows::cluster
