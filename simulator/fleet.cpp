#include "simulator/fleet.hpp"

#include <algorithm>
#include <tuple>

#include "base/check.hpp"

namespace bellows::simulator {

Replica& Fleet::order(TimePoint now) {
  CHECK(used() < kMax, "who orders looks at the bound");
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

std::vector<Replica*> Fleet::victims(PodCount want) const {
  using Rank = std::tuple<bool, Concurrency, std::uint64_t>;  // the smallest leaves first
  const auto rank = [](const Replica* replica) {
    const bool is_ready = replica->phase == ReplicaPhase::kReady;
    return Rank(is_ready, is_ready ? replica->said() : 0, ~replica->number());
  };
  std::vector<Replica*> staying_ones;
  for (Replica* replica : alive_) {
    if (replica->phase != ReplicaPhase::kDraining) staying_ones.push_back(replica);
  }
  std::ranges::sort(staying_ones, {}, rank);
  const std::size_t stay = static_cast<std::size_t>(std::max(want, 0));
  staying_ones.resize(staying_ones.size() > stay ? staying_ones.size() - stay : 0);
  return staying_ones;
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
  const PodCount there = ready();
  cpu_ = there > 0 ? std::optional(sum / there) : std::nullopt;
}

FleetCounts Fleet::counts() const {
  FleetCounts counts;
  counts.requested = requested;
  counts.start_time = start_time_.usual();
  counts.cpu = cpu_;
  for (const Replica* replica : alive_) {
    const bool is_ready = replica->phase == ReplicaPhase::kReady;
    if (is_ready) ++counts.ready;
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

}  // namespace bellows::simulator
