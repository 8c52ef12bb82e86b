#include "simulator/fleet.hpp"

#include <algorithm>
#include <tuple>

#include "base/check.hpp"

namespace bellows::simulator {

Replica& Fleet::order(TimePoint now) {
  CHECK(used() < kMax, "the caller checks the maximum");
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::uint16_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint16_t place = free_places_.back();
  free_places_.pop_back();
  places_[place] = std::make_unique<Replica>(place, ++ordered_, slots_, now, seed_);
  alive_.push_back(places_[place].get());
  return *alive_.back();
}

std::vector<Replica*> Fleet::victims(PodCount desired) const {
  using Rank = std::tuple<bool, Concurrency, std::uint64_t>;  // the smallest is removed first
  const auto rank = [](const Replica* replica) {
    const bool is_ready = replica->phase == ReplicaPhase::kReady;
    return Rank(is_ready, is_ready ? replica->reported_in_flight() : 0, ~replica->number());
  };
  std::vector<Replica*> candidates;
  for (Replica* replica : alive_) {
    if (replica->phase != ReplicaPhase::kDraining) candidates.push_back(replica);
  }
  std::ranges::sort(candidates, {}, rank);
  const std::size_t keep = static_cast<std::size_t>(std::max(desired, 0));
  candidates.resize(candidates.size() > keep ? candidates.size() - keep : 0);
  return candidates;
}

void Fleet::remove(Replica& replica) {
  std::erase(alive_, &replica);
  replica.phase = ReplicaPhase::kGone;
  free_places_.push_back(replica.place());
}

Replica* Fleet::find(std::uint16_t place, std::uint64_t number) const {
  Replica* const replica = places_[place].get();
  const bool is_it = replica->number() == number && replica->phase != ReplicaPhase::kGone;
  return is_it ? replica : nullptr;
}

std::vector<activator::ReplicaView> Fleet::ready_views() const {
  std::vector<activator::ReplicaView> views;
  for (const Replica* replica : alive_) {
    if (replica->phase != ReplicaPhase::kReady) continue;
    views.push_back({.name = replica->name(),
                     .address = {.host = "sim", .port = replica->place(), .unix_path = {}},
                     .ordered = replica->ordered,
                     .process_started = replica->ordered,
                     .ready = replica->ready_since});
  }
  return views;
}

void Fleet::learn_start(const Replica& replica, TimePoint now) {
  if (replica.restarts == 0) start_time_.add(now - replica.ordered);
}

void Fleet::measure_cpu(TimePoint now) {
  double sum = 0;
  for (Replica* replica : alive_) {
    const double busy = to_seconds(replica->take_busy(now));
    if (replica->phase == ReplicaPhase::kReady) sum += std::min(1.0, busy);
  }
  const PodCount ready_count = ready();
  cpu_ = ready_count > 0 ? std::optional(sum / ready_count) : std::nullopt;
}

FleetCounts Fleet::counts() const {
  FleetCounts counts;
  counts.requested = requested;
  counts.start_time = start_time_.usual();
  counts.start_spread = start_time_.spread();
  counts.cpu = cpu_;
  for (const Replica* replica : alive_) {
    const bool is_ready = replica->phase == ReplicaPhase::kReady;
    if (is_ready) ++counts.ready;
    if (is_ready && !replica->is_idle()) ++counts.occupied;
    if (replica->phase == ReplicaPhase::kDraining) ++counts.draining;
    if (replica->phase == ReplicaPhase::kStarting) ++counts.starting;
    if (replica->has_reported) ++(is_ready ? counts.ready_reporting : counts.others_reporting);
  }
  return counts;
}

PodCount Fleet::staying() const {
  return static_cast<PodCount>(std::ranges::count_if(
      alive_, [](const Replica* r) { return r->phase != ReplicaPhase::kDraining; }));
}

PodCount Fleet::ready() const {
  return static_cast<PodCount>(std::ranges::count_if(
      alive_, [](const Replica* r) { return r->phase == ReplicaPhase::kReady; }));
}

PodCount Fleet::idle() const {
  return static_cast<PodCount>(std::ranges::count_if(alive_, &Replica::is_idle));
}

}  // namespace bellows::simulator
