#include "activator/core/pod_set.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bellows::activator {
namespace {

bool has_smaller_name(const ReplicaView& a, const ReplicaView& b) {
  return a.name < b.name;
}

std::optional<TimePoint> earlier(std::optional<TimePoint> a, std::optional<TimePoint> b) {
  if (!a) return b;
  return b ? std::min(*a, *b) : a;
}

}  // namespace

PodSet::PodSet(Random& random) : random_(random) {
  const config::RevisionSettings defaults;
  load_balancing_ = defaults.load_balancing;
  container_concurrency_ = defaults.container_concurrency;
  policy_ = make_pick_policy(load_balancing_, container_concurrency_, random_);
  uses_reported_load_ = activator::uses_reported_load(load_balancing_);
}

void PodSet::update(const RevisionView& view) {
  share_ = view.share;
  if (view.is_whole) {
    update_all(view);
  } else {
    update_changed(view);
  }
}

void PodSet::update_all(const RevisionView& view) {
  set_policy(view.settings);
  ready_ = view.ready.size();
  has_shared_address_ = view.shared_address.has_value();
  if (view.shared_address && ready_ > 0) {
    const std::int64_t share =
        container_concurrency_ == 0
            ? 0
            : shared_address_slots(container_concurrency_, ready_, view.share.activators);
    set_listed({{.name = PodName("any"), .address = *view.shared_address}},
               static_cast<std::int32_t>(share));
  } else {
    set_listed(view.ready, slots());
    assign_slices(view.share);
  }
  erase_unlisted();
  count_all();
}

void PodSet::update_changed(const RevisionView& view) {
  CHECK(!view.shared_address, "replicas behind a shared address have no changes of their own");
  for (const PodName& name : view.gone) unlist(name);
  for (const ReplicaView& replica : view.ready) list(replica);
  ready_ = counts_.listed;
  if (!has_slices(view.share)) return;
  assign_slices(view.share);  // which replicas are in it depends on all of them
  count_all();
}

/// Replaces the policy only if the settings changed, because it keeps its place in the list.
void PodSet::set_policy(const config::RevisionSettings& settings) {
  if (settings.load_balancing == load_balancing_ &&
      settings.container_concurrency == container_concurrency_) {
    return;
  }
  load_balancing_ = settings.load_balancing;
  container_concurrency_ = settings.container_concurrency;
  policy_ = make_pick_policy(load_balancing_, container_concurrency_, random_);
  uses_reported_load_ = activator::uses_reported_load(load_balancing_);
}

void PodSet::set_listed(const std::vector<ReplicaView>& listed, std::int32_t slots) {
  for (const auto& pod : pods_) {
    const bool is_listed =
        std::binary_search(listed.begin(), listed.end(), pod->view(), has_smaller_name);
    if (!is_listed) pod->unlist();
  }
  for (const ReplicaView& replica : listed) {
    const Place place = place_of(replica.name);
    if (place != pods_.end() && (*place)->name() == replica.name) {
      (*place)->update(replica, slots);
    } else {
      pods_.insert(place, std::make_unique<PodTracker>(replica, slots));
    }
  }
}

/// Returns where a replica of that name is, or would be inserted.
PodSet::Place PodSet::place_of(const PodName& name) {
  return std::lower_bound(pods_.begin(), pods_.end(), name,
                          [](const auto& pod, const PodName& than) { return pod->name() < than; });
}

void PodSet::unlist(const PodName& name) {
  const Place place = place_of(name);
  if (place == pods_.end() || (*place)->name() != name) return;
  PodTracker& pod = **place;
  discount(pod);
  pod.unlist();
  if (pod.in_flight() == 0) pods_.erase(place);
}

void PodSet::list(const ReplicaView& replica) {
  const Place place = place_of(replica.name);
  if (place != pods_.end() && (*place)->name() == replica.name) {
    discount(**place);
    (*place)->update(replica, slots());
    count(**place);
  } else {
    count(**pods_.insert(place, std::make_unique<PodTracker>(replica, slots())));
  }
}

/// Assigns replicas to slices. A policy that uses load reports knows the load of other activators,
/// so it uses all replicas and prefers its slice. Other policies must keep to their slice, or they
/// would exceed the slots.
void PodSet::assign_slices(ActivatorShare share) {
  const bool keeps_to_slice = container_concurrency_ > 0 && !uses_reported_load_;
  const std::vector<bool> slice = slice_of(ready_, share);
  std::size_t at = 0;
  for (const auto& pod : pods_) {
    if (!pod->is_listed()) continue;
    const bool is_in_slice = slice[at++];
    pod->assign(is_in_slice || !keeps_to_slice);
    pod->prefer(is_in_slice);
  }
}

void PodSet::fill_to(std::int32_t slots) {
  if (slots == filled_to_) return;
  filled_to_ = slots;
  if (container_concurrency_ > 0 || has_shared_address_) return;
  for (const auto& pod : pods_) pod->set_slots(slots);
}

void PodSet::close() {
  for (const auto& pod : pods_) pod->unlist();
  ready_ = 0;
  erase_unlisted();
  count_all();
}

PodTracker* PodSet::pick(const PodName& avoided, TimePoint now) {
  return avoiding(avoided, [&] { return policy_->pick(pods_, now); });
}

PodTracker* PodSet::pick_to_queue(const PodName& avoided, TimePoint now) {
  return avoiding(avoided, [&] { return least_loaded_to_queue(now); });
}

template <class Pick>
PodTracker* PodSet::avoiding(const PodName& avoided, const Pick& pick) {
  const Place place = avoided.empty() ? pods_.end() : place_of(avoided);
  if (place == pods_.end() || (*place)->name() != avoided) return pick();
  (*place)->set_excluded(true);
  PodTracker* const other = pick();
  (*place)->set_excluded(false);
  return other != nullptr ? other : pick();
}

PodTracker* PodSet::least_loaded_to_queue(TimePoint now) {
  PodTracker* best = nullptr;
  for (const auto& pod : pods_) {
    if (!pod->can_queue(now)) continue;
    const bool is_better = best == nullptr || pod->load(now) < best->load(now) ||
                           (pod->load(now) == best->load(now) && !best->is_preferred());
    if (is_better) best = pod.get();
  }
  return best;
}

PodTracker* PodSet::pick_named(const PodName& name, TimePoint now) {
  const Place place = place_of(name);
  const bool can_take = place != pods_.end() && (*place)->name() == name && (*place)->can_take(now);
  return can_take ? place->get() : nullptr;
}

bool PodSet::has(const PodName& name) {
  const Place place = place_of(name);
  return place != pods_.end() && (*place)->name() == name && (*place)->is_usable();
}

std::vector<DueProbe> PodSet::due_probes(bool eagerly, TimePoint now) {
  std::vector<DueProbe> due;
  for (const auto& pod : pods_) {
    const auto at = pod->probe_at(eagerly);
    if (!at || *at > now) continue;
    pod->begin_probe();
    due.push_back({pod->name(), pod->address()});
  }
  return due;
}

std::optional<TimePoint> PodSet::next_probe(bool eagerly) const {
  std::optional<TimePoint> next;
  for (const auto& pod : pods_) next = earlier(next, pod->probe_at(eagerly));
  return next;
}

bool PodSet::end_probe(const PodName& replica, bool has_succeeded, TimePoint now) {
  bool is_back = false;
  for (const auto& pod : pods_) {
    if (pod->name() == replica) is_back = pod->end_probe(has_succeeded, now);
  }
  count_all();
  return is_back;
}

std::optional<TimePoint> PodSet::next_report_decay(TimePoint now) const {
  std::optional<TimePoint> next;
  for (const auto& pod : pods_) next = earlier(next, pod->report_decays_at(now));
  return next;
}

bool PodSet::is_last_healthy(const PodTracker& pod) const {
  return std::none_of(pods_.begin(), pods_.end(), [&](const auto& other) {
    return other.get() != &pod && other->is_usable() && !other->is_ejected();
  });
}

void PodSet::erase_unlisted() {
  std::erase_if(pods_, [](const auto& pod) { return !pod->is_listed() && pod->in_flight() == 0; });
}

void PodSet::count(const PodTracker& pod) {
  if (pod.is_listed()) ++counts_.listed;
  if (pod.is_usable()) ++(pod.is_ejected() ? counts_.ejected : counts_.healthy);
}

void PodSet::discount(const PodTracker& pod) {
  if (pod.is_listed()) --counts_.listed;
  if (pod.is_usable()) --(pod.is_ejected() ? counts_.ejected : counts_.healthy);
}

void PodSet::count_all() {
  counts_ = {};
  for (const auto& pod : pods_) count(*pod);
}

}  // namespace bellows::activator
