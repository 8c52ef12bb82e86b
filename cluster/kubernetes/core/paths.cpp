#include "cluster/kubernetes/core/paths.hpp"

#include <algorithm>
#include <utility>

#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/core/path_subject.hpp"

namespace bellows::cluster {

Paths::Entry& Paths::entry(const RevisionId& id) {
  return entries_.try_emplace(id, options_.settle).first->second;
}

void Paths::slice_changed(const SlicePtr& before, const SlicePtr& after) {
  slices_.changed(before, after);
  if (after && is_ours(*after)) ports_.recognize(revision_of(*after), activator_port_of(*after));
  const kubernetes::EndpointSlice& slice = after ? *after : *before;
  if (kubernetes::object_key(slice.meta.ns, slice.service()) != options_.activator_service) return;
  activators_ = activators_in(slices_.of(options_.activator_service));
  for (auto& [id, entry] : entries_) {
    std::erase_if(entry.answering, [&](const auto& answering) {
      const Activator* activator = activators_.find(answering.first);
      return activator == nullptr || !activator->is_ready || activator->address != answering.second;
    });
  }
}

void Paths::revision_changed(const RevisionObject& revision, const Clocks& clocks) {
  ports_.recognize(RevisionId(kubernetes::object_key(revision.meta)),
                   revision.status.activator_port);
  for (const auto& [port, since] : revision.status.resting_ports) {
    ports_.rest(port, clocks.now - std::max(Duration::zero(), clocks.wall - since));
    taken_back_[port] = std::max(taken_back_[port], since);
  }
}

std::map<std::uint16_t, WallTime> Paths::resting_ports(TimePoint now) const {
  std::map<std::uint16_t, WallTime> resting;
  for (const auto& [port, since] : ports_.resting(now)) resting[port] = taken_back_.at(port);
  return resting;
}

void Paths::order(const RevisionId& id, PathOrder order) {
  Entry& known = entry(id);
  std::ranges::sort(order.activators);
  // An activator that returns has to answer again.
  if (!order.activators.empty() && !known.takes_all) {
    std::erase_if(known.answering, [&](const auto& answering) {
      return !std::ranges::binary_search(order.activators, answering.first);
    });
  }
  known.order = std::move(order);
}

void Paths::want_zero(const RevisionId& id, bool is_wanted) {
  entry(id).wants_zero = is_wanted;
}

void Paths::probed(const RevisionId& id, const PathProbe& probe, std::string problem) {
  Entry& known = entry(id);
  const Activator* activator = activators_.find(probe.activator);
  const bool is_current = activator != nullptr && activator->is_ready &&
                          activator->address == probe.address && ports_.of(id) == probe.port;
  if (!is_current) return;
  known.probe_problem = std::move(problem);
  if (known.probe_problem.empty()) known.answering[probe.activator] = probe.address;
}

void Paths::start_anew() {
  for (auto& [id, entry] : entries_) entry.machine.start_anew();
}

void Paths::forget(const RevisionId& id, const Clocks& clocks) {
  entries_.erase(id);
  const std::uint16_t port = ports_.of(id);
  if (port == 0 || !slices_.ours(id).empty()) return;
  ports_.take_back(id, clocks.now);
  taken_back_[port] = std::chrono::floor<std::chrono::seconds>(clocks.wall);
}

RevisionObjectPtr Paths::stand_in(const RevisionId& id) const {
  const ServiceSlices::ByName& ours = slices_.ours(id);
  if (ours.empty()) return nullptr;
  const kubernetes::EndpointSlice& slice = *ours.begin()->second;
  const auto target = target_of(slice);
  if (!target) return nullptr;
  RevisionObject object;
  object.meta.ns = slice.meta.ns;
  object.meta.name = slice.meta.annotations.get(kSliceRevisionAnnotation);
  object.meta.annotations = slice.meta.annotations;
  object.target = *target;
  object.service = slice.service();
  object.state = RevisionState::kPaused;
  object.status.activator_port = activator_port_of(slice);
  object.is_leaving = true;
  return std::make_shared<const RevisionObject>(std::move(object));
}

/// Returns the ordered activators that can take requests.
std::vector<const Activator*> Paths::candidates(const Entry& entry) const {
  const bool takes_all = entry.takes_all || !entry.order || entry.order->activators.empty();
  std::vector<const Activator*> found;
  for (const Activator& activator : activators_.activators) {
    if (!activator.is_ready || activator.address.empty()) continue;
    if (!takes_all && !std::ranges::binary_search(entry.order->activators, activator.name)) {
      continue;
    }
    found.push_back(&activator);
  }
  return found;
}

void Paths::give_port(PathSubject& subject, TimePoint now) {
  subject.number = ports_.of(subject.id);
  if (subject.number != 0 || !subject.is_possible() || activators_.activators.empty()) return;
  const auto given = ports_.give(subject.id, now);
  if (given) {
    subject.number = *given;
    return;
  }
  subject.refuse(kPortsExhausted,
                 "all ports of activator-ports (" + to_string(ports_.range()) +
                     ") are assigned, or were released less than 5 minutes ago; widen the range");
}

PathFacts Paths::facts_of(const Entry& entry, const PathSubject& subject) const {
  PathFacts facts;
  facts.are_replicas_ready = subject.are_replicas_ready(slices_);
  facts.in_slice = subject.activators_in_slice();
  if (subject.is_leaving() || !subject.is_possible()) {
    facts.is_asked_through = false;
  } else if (entry.wants_zero) {
    facts.is_asked_through = true;
  } else if (entry.order) {
    facts.is_asked_through = entry.order->is_through_activators;
  }
  // No activator joins where it cannot take requests; those that are there stay while needed.
  if (facts.in_slice.empty() && !subject.is_possible()) return facts;
  for (const Activator* activator : candidates(entry)) {
    const auto answering = entry.answering.find(activator->name);
    const bool answers =
        answering != entry.answering.end() && answering->second == activator->address;
    if (answers || subject.is_in_slice(*activator)) facts.usable.push_back(activator->name);
  }
  return facts;
}

Path Paths::listed(const RevisionId& id, const Record& record) const {
  Path path;
  path.state = record.service.empty() ? PathState::kHeld : PathState::kDirect;
  path.activator_port = record.object->status.activator_port;
  for (const auto& [name, slice] : slices_.ours(id)) {
    const std::uint16_t port = activator_port_of(*slice);
    if (port != 0) path.activator_port = port;
    const std::vector<PodName> names = activators_in(*slice, port);
    path.activators.insert(path.activators.end(), names.begin(), names.end());
  }
  std::ranges::sort(path.activators);
  const auto twice = std::unique(path.activators.begin(), path.activators.end());
  path.activators.erase(twice, path.activators.end());
  if (!path.activators.empty()) path.state = PathState::kHeld;
  return path;
}

PathStep Paths::step(const RevisionId& id, const Record& record, const kubernetes::Service* service,
                     bool is_shared, TimePoint now) {
  PathSubject subject(id, record, service, is_shared, slices_, options_.are_on_each_node);
  subject.is_bellows_leaving = end_ != PathsEnd::kStay;
  PathStep step;
  plan_others(step, subject);
  if (service == nullptr) {
    finish_without_service(step, subject);
    return step;
  }
  Entry& known = entry(id);
  known.takes_all = subject.route.is_local;
  give_port(subject, now);
  step.path.activator_port = subject.number;
  if (record.object->state == RevisionState::kRetired) {
    step.path.state = PathState::kDirect;
    step.routed = {kubernetes::ConditionStatus::kFalse, "Retired",
                   "it is out of service until spec.state is Active"};
    plan_deletion(step, subject);
    return step;
  }
  const PathFacts facts = facts_of(known, subject);
  const PathWish wish = known.machine.step(facts, now);
  step.again = wish.again;
  step.path.state = known.machine.state();
  step.path.activators = facts.in_slice;
  step.routed = routed(known, subject, facts);
  if (step.routed.status == kubernetes::ConditionStatus::kFalse) {
    step.path.problem = step.routed.message;
  }
  const bool is_over = facts.in_slice.empty() && step.path.state == PathState::kDirect &&
                       (subject.is_leaving() || !subject.is_possible());
  if (is_over || end_ == PathsEnd::kAtOnce || (subject.is_leaving() && !record.target)) {
    plan_deletion(step, subject);
    return step;
  }
  plan_slice(step, wish, subject);
  plan_probes(step, known, facts, subject);
  if (subject.is_leaving() && record.requested() == 0) step.restore = subject.replicas_before();
  return step;
}

}  // namespace bellows::cluster
