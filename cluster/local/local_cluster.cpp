#include "cluster/local/local_cluster.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "base/sys/descriptor_reserve.hpp"
#include "base/sys/log.hpp"
#include "cluster/local/drain_order.hpp"
#include "cluster/local/prepare_service.hpp"
#include "cluster/local/process.hpp"
#include "cluster/local/revision_checks.hpp"

namespace bellows::cluster {

namespace log = sys::log;

namespace {

constexpr auto kWait = http::net::as_tuple(http::net::use_awaitable_t<http::Executor>());
/// A killed process ends within milliseconds, unless the disk or the kernel delays it.
constexpr Duration kMaxKillTime = std::chrono::seconds(5);

std::string_view stage_text(ShutdownStage stage) {
  switch (stage) {
    case ShutdownStage::kServing:
      return "serving";
    case ShutdownStage::kDraining:
      return "draining";
    case ShutdownStage::kKilling:
      return "killing";
    case ShutdownStage::kStopped:
      return "stopped";
  }
  return "unknown";
}

std::map<RevisionId, LocalRevision> make_revisions(std::vector<config::ServiceRevision> declared,
                                                   CgroupTree* groups) {
  std::map<RevisionId, LocalRevision> revisions;
  for (config::ServiceRevision& revision : declared) {
    const RevisionId id = revision.name;
    revisions.emplace(id, LocalRevision(std::move(revision), groups));
  }
  return revisions;
}

void drain_down_to(LocalRevision& revision, const ScaleOrder& order) {
  if (order.desired == 0) revision.restart.cancel();  // nothing is left to replace
  const auto drained =
      replicas_to_drain(revision.oldest_first(), order.desired + revision.restart.surge(),
                        order.drain_first, order.keep);
  for (const PodName& name : drained) {
    revision.find(name)->drain();
  }
}

void drain_all(LocalRevision& revision) {
  for (const auto& replica : revision.replicas) {
    if (replica->replica().phase != ReplicaPhase::kDraining) replica->drain();
  }
}

}  // namespace

Result<std::unique_ptr<LocalCluster>> LocalCluster::create(http::net::io_context& io,
                                                           const sys::Clock& clock, Random& random,
                                                           std::vector<config::ServiceRevision> all,
                                                           LocalClusterOptions options) {
  AppGroups groups = app_groups_for(all, options.make_groups);
  BELLOWS_CHECKED(check_limits(all, groups));
  BELLOWS_CHECKED(check_all_fit(all));
  BELLOWS_TRY(std::string shim, own_program(options.shim, "replica-shim"));
  BELLOWS_TRY(std::string queue_proxy, own_program(options.queue_proxy, "queue-proxy"));
  BELLOWS_CHECKED(check_programs(all));
  ReplicaPrograms programs{
      std::move(queue_proxy),        std::move(shim),      {},
      std::move(options.log_format), options.error_detail, std::move(options.server),
      std::move(options.trace),      options.stop_timeout};
  return std::unique_ptr<LocalCluster>(new LocalCluster(io, clock, random, std::move(all),
                                                        std::move(programs), std::move(groups),
                                                        options.usage_period));
}

LocalCluster::LocalCluster(http::net::io_context& io, const sys::Clock& clock, Random& random,
                           std::vector<config::ServiceRevision> declared, ReplicaPrograms programs,
                           AppGroups groups, Duration usage_period)
    : io_(io),
      clock_(clock),
      random_(random),
      programs_(std::move(programs)),
      groups_(std::move(groups)),
      ports_(machine_app_port_range(), random),
      revisions_(make_revisions(std::move(declared), groups_.tree.get())),
      publisher_(io),
      start_queue_(io,
                   [this](const ReplicaKey& key) {
                     if (LocalReplica* replica = find(key)) replica->start();
                   }),
      usage_watch_(io, usage_period,
                   {.list = [this] { return replicas(); },
                    .measure =
                        [this](const ReplicaKey& key) {
                          if (LocalReplica* replica = find(key)) replica->measure();
                        },
                    .round_done = [this] { publish_measured(); }}),
      all_gone_(io) {
  if (::getpid() == 1)
    orphans_.emplace(io, std::initializer_list<int>{SIGCHLD}, [](int, int) { reap_orphans(); });
  expect_descriptors();
  publish_all();
}

LocalCluster::~LocalCluster() {
  sys::expect_descriptors(0);
}

/// Reserves for callers the descriptors that no replica may need.
void LocalCluster::expect_descriptors() {
  std::vector<ReplicaBounds> bounds;
  for (const auto& [id, revision] : revisions_) {
    if (revision.state != RevisionState::kRetired) bounds.push_back(bounds_of(revision.declared));
  }
  sys::expect_descriptors(most_descriptors(bounds, sys::descriptor_limit()));
}

std::unique_ptr<Subscription> LocalCluster::subscribe(OnChange on_change) {
  return publisher_.subscribe(std::move(on_change));
}

http::Awaitable<Result<void>> LocalCluster::scale(RevisionId revision, ScaleOrder order) {
  co_return scale_now(revision, order);
}

Result<void> LocalCluster::scale_now(const RevisionId& id, const ScaleOrder& order) {
  BELLOWS_TRY(LocalRevision * revision, in_service(id));
  if (order.desired < 0) {
    return fail(ErrorKind::kInvalidSetting, "revision " + id.text(),
                "cannot run " + std::to_string(order.desired) + " replicas, want 0 or more");
  }
  const PodCount before = revision->staying();
  revision->requested = order.desired;
  if (order.desired != before) {
    log::debug("ordered", {{"revision", id.text()},
                           {"from", before},
                           {"to", order.desired},
                           {"because", order.reason}});
  }
  Result<void> added = fill(*revision);
  drain_down_to(*revision, order);
  advance_restart(*revision);
  publish(id);
  usage_watch_.start();
  return added;
}

http::Awaitable<Result<void>> LocalCluster::set_state(RevisionId revision, RevisionState state) {
  co_return set_state_now(revision, state);
}

Result<void> LocalCluster::set_state_now(const RevisionId& id, RevisionState state) {
  BELLOWS_TRY(LocalRevision * revision, known(id));
  if (revision->state == state) return {};
  const bool may_return = state == RevisionState::kActive && stage_ == ShutdownStage::kServing;
  if (!may_return) BELLOWS_CHECKED(in_service(id));
  log::info("revision " + std::string(to_string(state)),
            {{"service", revision->declared.service().text()}, {"revision", id.text()}});
  revision->state = state;
  expect_descriptors();
  if (state == RevisionState::kRetired) {
    revision->requested = 0;
    drain_down_to(*revision, ScaleOrder());
  }
  publish(id);
  return {};
}

/// Users of this cluster ask Bellows itself for the rest.
void LocalCluster::report(RevisionId revision, Report report) {
  const Result<LocalRevision*> found = known(revision);
  if (!found || (*found)->learned_target == report.learned_target) return;
  (*found)->learned_target = report.learned_target;
  publish_soon(revision);  // the caller may be reading the list
}

Result<void> LocalCluster::configure(const RevisionId& id,
                                     const config::RevisionSettings& settings) {
  BELLOWS_TRY(LocalRevision * revision, in_service(id));
  const ReplicaSize first = first_size(settings.resources);
  // Without this condition each change of the recommender's settings would discard a recommended
  // size.
  if (first != first_size(revision->declared.settings->resources)) {
    revision->resources.for_new = first;
  }
  revision->declared.settings = config::shared_settings(settings);
  if (revision->running) revision->running->settings = settings;
  revision->resources.limits = app_limits(settings.resources);
  expect_descriptors();
  publish(id);
  return {};
}

Result<void> LocalCluster::restart(const RevisionId& id) {
  BELLOWS_TRY(LocalRevision * revision, in_service(id));
  if (revision->port() != 0) {  // the new one starts when the old one has gone
    drain_all(*revision);
    BELLOWS_CHECKED(fill(*revision));
    publish(id);
    return {};
  }
  revision->restart.begin(revision->oldest_first());
  advance_restart(*revision);
  publish(id);
  return {};
}

Result<void> LocalCluster::check(const config::Service& service) const {
  BELLOWS_CHECKED(check_limits({service}, groups_));
  BELLOWS_CHECKED(prepared(service));
  return {};
}

Result<void> LocalCluster::check_fit(std::vector<ReplicaBounds> changed) const {
  const std::size_t changes = changed.size();
  for (const auto& [id, revision] : revisions_) {
    ReplicaBounds bounds = bounds_of(revision.declared);
    const auto replaces = [&](const ReplicaBounds& other) {
      return other.service == bounds.service;
    };
    const bool is_replaced = std::any_of(changed.begin(), changed.begin() + changes, replaces);
    if (is_replaced || revision.state == RevisionState::kRetired) continue;
    changed.push_back(std::move(bounds));
  }
  return check_bounds(changed, sys::descriptor_limit());
}

Result<void> LocalCluster::add(config::ServiceRevision revision, const ReplicaSize& size_of_new) {
  const RevisionId id = revision.name;
  if (stage_ != ShutdownStage::kServing) {
    return fail(ErrorKind::kUnavailable, "revision " + id.text(), "Bellows is shutting down");
  }
  if (revisions_.contains(id)) {
    return fail(ErrorKind::kConflict, "revision " + id.text(), "is listed already");
  }
  BELLOWS_CHECKED(check_limits({revision}, groups_));
  BELLOWS_CHECKED(prepared(revision.whole()));
  auto [place, is_new] =
      revisions_.emplace(id, LocalRevision(std::move(revision), groups_.tree.get()));
  place->second.resources.listener = listener_;
  if (!size_of_new.empty()) place->second.resources.for_new = size_of_new;
  if (const auto used = names_used_.find(id); used != names_used_.end()) {
    place->second.next_number = used->second;
  }
  expect_descriptors();
  publish(id);
  return {};
}

Result<const OutputTail*> LocalCluster::output(const RevisionId& id) const {
  const auto found = revisions_.find(id);
  static const OutputTail none;
  if (found != revisions_.end()) return found->second.output ? found->second.output.get() : &none;
  return fail(ErrorKind::kNotFound, "revision " + id.text(), "there is none");
}

Result<void> LocalCluster::place(const RevisionId& id, const config::Route& route,
                                 std::int32_t share) {
  BELLOWS_TRY(LocalRevision * revision, in_service(id));
  revision->declared.route = route;
  revision->declared.share = share;
  publish(id);
  return {};
}

Result<void> LocalCluster::remove(const RevisionId& id) {
  BELLOWS_TRY(LocalRevision * revision, known(id));
  revision->requested = 0;
  drain_down_to(*revision, ScaleOrder());
  names_used_[id] = revision->next_number;
  removed_.push_back(revisions_.extract(id));  // its replicas refer to it
  publisher_.erase(id);
  expect_descriptors();
  publish_soon(id);
  return {};
}

/// Destroys the replicas of revisions with this id that have gone, and then the removed revisions.
void LocalCluster::destroy_gone(const RevisionId& id) {
  const auto destroy = [](LocalRevision& revision) {
    std::erase_if(revision.replicas, [](const auto& replica) {
      return replica->replica().phase == ReplicaPhase::kGone;
    });
    revision.rest();
  };
  if (const auto found = revisions_.find(id); found != revisions_.end()) {
    replace_departed(found->second);
    advance_restart(found->second);
    destroy(found->second);
    publish(id);
  }
  for (Revisions::node_type& node : removed_) {
    if (node.key() == id) destroy(node.mapped());
  }
  std::erase_if(removed_, [](const auto& node) { return node.mapped().replicas.empty(); });
}

std::vector<std::string> LocalCluster::last_lines(const RevisionId& id) const {
  const auto found = revisions_.find(id);
  if (found == revisions_.end()) return {};
  const auto& replicas = found->second.replicas;
  for (auto replica = replicas.rbegin(); replica != replicas.rend(); ++replica) {
    const std::deque<std::string>& lines = (*replica)->last_lines();
    if (!lines.empty()) return {lines.begin(), lines.end()};
  }
  return {};
}

http::Awaitable<Result<void>> LocalCluster::set_size_of_new_replicas(RevisionId id,
                                                                     ReplicaSize size) {
  BELLOWS_CO_TRY(LocalRevision * revision, in_service(id));
  revision->resources.for_new = size;
  co_return Result<void>();
}

http::Awaitable<Result<void>> LocalCluster::resize(RevisionId id, PodName name, ReplicaSize size) {
  BELLOWS_CO_TRY(LocalRevision * revision, in_service(id));
  if (LocalReplica* const replica = revision->find(name)) co_return replica->resize(size);
  co_return fail(ErrorKind::kNotFound, "replica " + name.text(), "there is none");
}

void LocalCluster::set_resource_listener(ResourceListener* listener) {
  listener_ = listener;
  for_each_revision(
      [listener](LocalRevision& revision) { revision.resources.listener = listener; });
}

void LocalCluster::send_stats_to(std::string autoscaler_url) {
  programs_.autoscaler_url = std::move(autoscaler_url);
}

void LocalCluster::begin_shut_down() {
  if (stage_ != ShutdownStage::kServing) return;
  enter(ShutdownStage::kDraining);
  for (auto& [id, revision] : revisions_) {
    revision.requested = 0;
    drain_down_to(revision, ScaleOrder());
    publish(id);
  }
}

http::Awaitable<void> LocalCluster::shut_down(TimePoint deadline) {
  CHECK(stage_ != ShutdownStage::kStopped, "a cluster is shut down once");
  begin_shut_down();
  co_await until_all_gone(deadline);
  if (!is_all_gone()) kill_now();
  co_await until_all_gone(clock_.now() + kMaxKillTime);
  usage_watch_.stop();
  enter(ShutdownStage::kStopped);
}

void LocalCluster::kill_now() {
  if (stage_ == ShutdownStage::kStopped) return;
  enter(ShutdownStage::kKilling);
  for_each_revision([](LocalRevision& revision) {
    for (const auto& replica : revision.replicas) replica->kill();
  });
}

Result<LocalRevision*> LocalCluster::known(const RevisionId& id) {
  const auto found = revisions_.find(id);
  if (found != revisions_.end()) return &found->second;
  return fail(ErrorKind::kNotFound, "revision " + id.text(), "there is none");
}

Result<LocalRevision*> LocalCluster::in_service(const RevisionId& id) {
  BELLOWS_TRY(LocalRevision * revision, known(id));
  const std::string culprit = "revision " + id.text();
  if (revision->state == RevisionState::kRetired) {
    const RevisionId& of = revision->declared.of;
    return fail(
        ErrorKind::kGone, culprit,
        "is retired; `bellows resume " + (of.empty() ? id : of).text() + "` brings it back");
  }
  if (stage_ != ShutdownStage::kServing) {
    return fail(ErrorKind::kUnavailable, culprit, "Bellows is shutting down");
  }
  return revision;
}

LocalReplica* LocalCluster::find(const ReplicaKey& key) {
  const auto found = revisions_.find(key.revision);
  return found == revisions_.end() ? nullptr : found->second.find(key.replica);
}

std::vector<ReplicaKey> LocalCluster::replicas() const {
  std::vector<ReplicaKey> all;
  for (const auto& [id, revision] : revisions_) {
    for (const auto& replica : revision.replicas) all.push_back({id, replica->replica().name});
  }
  return all;
}

/// A replica changes in the middle of its own work, so one that has gone is removed later.
void LocalCluster::publish_soon(const RevisionId& id) {
  if (std::ranges::find(changed_, id) != changed_.end()) return;
  changed_.push_back(id);
  if (changed_.size() > 1) return;
  http::net::post(io_, lifetime_.bind([this] { publish_changed(); }));
}

void LocalCluster::publish_changed() {
  for (const RevisionId& id : std::exchange(changed_, {})) destroy_gone(id);
  if (!waiting_.empty()) fill_waiting();
  if (is_all_gone()) all_gone_.cancel();
}

void LocalCluster::expect_shut_down() {
  is_leaving_ = true;
  for_each_revision([](LocalRevision& revision) {
    for (const auto& replica : revision.replicas) replica->stay();
  });
}

void LocalCluster::publish(const RevisionId& id) {
  const RevisionPtr before = publisher_.list().find(id);
  publisher_.put(revisions_.at(id).publish(before ? before->replicas : std::vector<ReplicaPtr>{}));
}

void LocalCluster::publish_all() {
  for (const auto& [id, revision] : revisions_) publish(id);
}

/// A revision without replicas has no measurement.
void LocalCluster::publish_measured() {
  for (const auto& [id, revision] : revisions_) {
    if (!revision.replicas.empty()) publish(id);
  }
}

bool LocalCluster::is_all_gone() const {
  return removed_.empty() && std::ranges::all_of(revisions_, [](const auto& entry) {
           return entry.second.replicas.empty();
         });
}

http::Awaitable<void> LocalCluster::until_all_gone(TimePoint deadline) {
  all_gone_.expires_at(http::to_steady(deadline));
  while (!is_all_gone() && clock_.now() < deadline) co_await all_gone_.async_wait(kWait);
}

void LocalCluster::enter(ShutdownStage stage) {
  if (stage_ == stage) return;
  stage_ = stage;
  log::debug("shutdown", {{"stage", stage_text(stage)}});
}

}  // namespace bellows::cluster
