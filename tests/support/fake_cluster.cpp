#include "tests/support/fake_cluster.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "cluster/local/drain_order.hpp"

namespace bellows::test {

using cluster::Replica;
using cluster::ReplicaPhase;

FakeCluster::FakeCluster(http::net::io_context& io, const sys::Clock& clock)
    : clock_(clock), publisher_(io) {}

void FakeCluster::add(const config::Service& service) {
  Truth truth;
  truth.revision.id = service.name;
  truth.revision.route = service.route;
  truth.revision.settings = service.settings;
  truth.revision.service = service.of;
  truth.revision.share = service.share;
  truth_.emplace(service.name, std::move(truth));
  publish(service.name);
}

void FakeCluster::share(const RevisionId& revision, std::int32_t share) {
  truth_.at(revision).revision.share = share;
  publish(revision);
}

void FakeCluster::remove(const RevisionId& revision) {
  truth_.erase(revision);
  publish(revision);
}

void FakeCluster::hold_lists() {
  holds_lists_ = true;
}

void FakeCluster::release_lists() {
  holds_lists_ = false;
  std::vector<RevisionId> all;
  for (const cluster::RevisionPtr& listed : revisions()) all.push_back(listed->id);
  for (const auto& [id, truth] : truth_) all.push_back(id);
  for (const RevisionId& id : all) publish(id);
}

void FakeCluster::refuse_orders(ErrorKind kind, int count) {
  refusal_ = kind;
  refusals_left_ = count;
}

void FakeCluster::set_phase(const RevisionId& revision, const PodName& pod, ReplicaPhase phase,
                            std::string failure_message) {
  Replica& replica = at(revision, pod);
  replica.phase = phase;
  replica.failure_message = std::move(failure_message);
  if (phase == ReplicaPhase::kStarting) replica.start.process_started = clock_.now();
  if (phase == ReplicaPhase::kReady) replica.start.ready = clock_.now();
  if (phase == ReplicaPhase::kGone) {
    std::erase_if(truth_.at(revision).replicas,
                  [&](const Replica& one) { return one.name == pod; });
  }
  publish(revision);
}

void FakeCluster::set_address(const RevisionId& revision, const PodName& pod, Endpoint address) {
  at(revision, pod).address = std::move(address);
  publish(revision);
}

void FakeCluster::set_failure_message(const RevisionId& revision, std::string failure_message) {
  truth_.at(revision).revision.failure_message = std::move(failure_message);
  publish(revision);
}

void FakeCluster::set_path(const RevisionId& revision, cluster::Path path) {
  truth_.at(revision).revision.path = std::move(path);
  publish(revision);
}

std::unique_ptr<cluster::Subscription> FakeCluster::subscribe(OnChange on_change) {
  return publisher_.subscribe(std::move(on_change));
}

http::Awaitable<Result<void>> FakeCluster::scale(RevisionId revision, cluster::ScaleOrder order) {
  const Result<void> taken = take(revision, order);
  orders_.push_back({std::move(revision), std::move(order), taken.has_value()});
  co_return taken;
}

http::Awaitable<Result<void>> FakeCluster::set_state(RevisionId revision,
                                                     cluster::RevisionState state) {
  BELLOWS_CO_CHECKED(refusal());
  BELLOWS_CO_TRY(Truth * truth, known(revision));
  if (truth->revision.state == state) co_return Result<void>();
  if (state != cluster::RevisionState::kActive) BELLOWS_CO_CHECKED(in_service(revision));
  truth->revision.state = state;
  if (state == cluster::RevisionState::kRetired) resize(*truth, {});
  publish(revision);
  co_return Result<void>();
}

void FakeCluster::report(RevisionId revision, cluster::Report report) {
  const auto found = truth_.find(revision);
  if (found == truth_.end()) return;
  found->second.revision.learned_target = report.learned_target;
  publish(revision);
  reports_[std::move(revision)] = std::move(report);
}

void FakeCluster::route(RevisionId revision, cluster::PathOrder order) {
  if (truth_.contains(revision)) path_orders_[std::move(revision)] = std::move(order);
}

Result<void> FakeCluster::refusal() {
  if (refusals_left_ == 0) return {};
  --refusals_left_;
  return fail(refusal_, "fake cluster", "refuses by order of the test");
}

Result<FakeCluster::Truth*> FakeCluster::known(const RevisionId& revision) {
  const auto found = truth_.find(revision);
  if (found != truth_.end()) return &found->second;
  return fail(ErrorKind::kNotFound, "revision " + revision.text(), "there is none");
}

Result<FakeCluster::Truth*> FakeCluster::in_service(const RevisionId& revision) {
  BELLOWS_TRY(Truth * truth, known(revision));
  if (!truth->revision.is_retired()) return truth;
  return fail(ErrorKind::kGone, "revision " + revision.text(), "is retired");
}

Result<void> FakeCluster::take(const RevisionId& revision, const cluster::ScaleOrder& order) {
  BELLOWS_CHECKED(refusal());
  BELLOWS_TRY(Truth * truth, in_service(revision));
  if (order.desired < 0) {
    return fail(ErrorKind::kInvalidSetting, "revision " + revision.text(), "want 0 or more");
  }
  resize(*truth, order);
  publish(revision);
  return {};
}

void FakeCluster::resize(Truth& truth, const cluster::ScaleOrder& order) {
  truth.revision.requested = order.desired;
  std::vector<Replica>& replicas = truth.replicas;
  const auto staying = std::ranges::count_if(
      replicas, [](const Replica& one) { return one.phase != ReplicaPhase::kDraining; });
  for (auto i = staying; i < order.desired; ++i) add_replica(truth);
  for (const PodName& name :
       cluster::replicas_to_drain(replicas, order.desired, order.drain_first, order.keep)) {
    std::ranges::find(replicas, name, &Replica::name)->phase = ReplicaPhase::kDraining;
  }
  if (holds_draining_) return;
  std::erase_if(replicas, [](const Replica& one) { return one.phase == ReplicaPhase::kDraining; });
}

void FakeCluster::add_replica(Truth& truth) {
  Replica replica;
  replica.name = PodName(truth.revision.id.text() + "-" + std::to_string(truth.next_number++));
  replica.start.ordered = clock_.now();
  if (!holds_pending_) {
    replica.phase = ReplicaPhase::kReady;
    replica.start.process_started = clock_.now();
    replica.start.ready = clock_.now();
  }
  replica.address = {"127.0.0.1", next_port_++, ""};
  truth.replicas.push_back(std::move(replica));
}

Replica& FakeCluster::at(const RevisionId& revision, const PodName& pod) {
  std::vector<Replica>& replicas = truth_.at(revision).replicas;
  const auto found = std::ranges::find(replicas, pod, &Replica::name);
  CHECK(found != replicas.end(), "the test names a replica that the fake has");
  return *found;
}

void FakeCluster::publish(const RevisionId& revision) {
  if (holds_lists_) return;
  const auto truth = truth_.find(revision);
  if (truth == truth_.end()) {
    publisher_.erase(revision);
    return;
  }
  auto next = std::make_shared<cluster::Revision>(truth->second.revision);
  const cluster::RevisionPtr before = revisions().find(revision);
  const std::vector<cluster::ReplicaPtr> none;
  next->replicas = cluster::next_replicas(truth->second.replicas, before ? before->replicas : none);
  publisher_.put(std::move(next));
}

}  // namespace bellows::test
