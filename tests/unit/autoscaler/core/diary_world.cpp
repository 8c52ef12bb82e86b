#include "tests/unit/autoscaler/core/diary_world.hpp"

#include <algorithm>
#include <utility>

#include "tests/unit/autoscaler/core/states_json.hpp"

namespace bellows::autoscaler::test {
namespace {

using cluster::Replica;
using cluster::ReplicaPhase;
using metrics::StatSource;

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr Duration kDeadAfter = std::chrono::seconds(3);

}  // namespace

DiaryWorld::DiaryWorld(config::RevisionSettings settings) {
  // Half a second off, so that a stat that ends now lies in the second of its number.
  clock_.advance(kSecond / 2);
  begin_ = clock_.now();
  revision_.id = id_;
  revision_.settings = settings;
  registry_ = std::make_unique<RevisionRegistry>(clock_, kDeadAfter, SavedStates{}, *this);
  publish();
  carry_out_order();
}

void DiaryWorld::load(double requests_in_flight) {
  load_ = requests_in_flight;
  wake_if_nobody_serves();
}

void DiaryWorld::pods(PodCount count) {
  if (clock_.now() == begin_) begin_beside(count);
  order(count);
  for (Replica& replica : replicas_) {
    replica.phase = ReplicaPhase::kReady;
    replica.start.ready = clock_.now();
  }
  publish();
}

void DiaryWorld::begin_beside(PodCount count) {
  const TimePoint now = clock_.now();
  SavedStates saved{.at = {now, clock_.wall_now()}, .revisions = {}};
  DeciderState& state = saved.revisions[id_];
  state.replicas = count;
  state.known_back_to = now;
  state.last_load = now;
  state.activity = {Serving::kActive, now};
  state.is_initialised = true;
  revision_.requested = count;
  registry_ = std::make_unique<RevisionRegistry>(clock_, kDeadAfter, std::move(saved), *this);
}

void DiaryWorld::silent(std::size_t replicas) {
  silent_ = replicas;
}

void DiaryWorld::crash(std::size_t replicas) {
  for (std::size_t i = 0; i < replicas; ++i) {
    Replica& replica = replicas_.at(i);
    replica = {};
    replica.name = PodName("web-" + std::to_string(++named_));
    replica.phase = ReplicaPhase::kStarting;
    replica.start.ordered = clock_.now();
  }
  publish();
}

void DiaryWorld::leave(std::size_t replicas, Duration duration) {
  const double share = load_ / ready();
  for (std::size_t i = 0; i < replicas; ++i) {
    Replica& replica = replicas_.at(i);
    leaving_.push_back({replica, share, clock_.now() + duration});
    leaving_.back().replica.phase = ReplicaPhase::kDraining;
  }
  crash(replicas);
}

void DiaryWorld::set_state(cluster::RevisionState state) {
  revision_.state = state;
  publish();
  carry_out_order();
}

void DiaryWorld::restart(bool with_snapshot) {
  SavedStates saved;
  if (with_snapshot) {
    saved.at = {clock_.now(), clock_.wall_now()};
    saved.revisions.emplace(id_, registry_->find(id_)->state);
    saved = parse_states(states_json(saved)).value();
  }
  registry_ = std::make_unique<RevisionRegistry>(clock_, kDeadAfter, std::move(saved), *this);
  publish();
  carry_out_order();
  replay_at_ = clock_.now() + kSecond;
}

void DiaryWorld::advance_to(std::int64_t second) {
  while (clock_.now() < begin_ + second * kSecond) step();
}

void DiaryWorld::step() {
  clock_.advance(kSecond);
  finish_starts();
  finish_leaving();
  if (replay_at_ && *replay_at_ <= clock_.now()) replay();
  report_load();
  registry_->tick();
  carry_out_order();
}

void DiaryWorld::finish_starts() {
  if (!start_) return;
  for (Replica& replica : replicas_) {
    if (replica.phase == ReplicaPhase::kReady) continue;
    if (clock_.now() - replica.start.ordered < *start_) continue;
    replica.phase = ReplicaPhase::kReady;
    replica.start.ready = clock_.now();
  }
  publish();
}

void DiaryWorld::finish_leaving() {
  std::erase_if(leaving_, [&](const Leaving& each) { return each.until < clock_.now(); });
  publish();
}

void DiaryWorld::report_load() {
  const PodCount serving = ready();
  double load = load_;
  for (const Leaving& each : leaving_) {
    load -= each.load;
    report(each.replica.name.text(), StatSource::kReplica, each.load);
  }
  std::size_t index = 0;
  for (const Replica& replica : replicas_) {
    if (replica.phase != ReplicaPhase::kReady || index++ < silent_) continue;
    report(replica.name.text(), StatSource::kReplica, load / serving);
  }
  has_waited_ = has_waited_ || (serving == 0 && load_ > 0);
  if (has_waited_) report("activator-1", StatSource::kActivator, serving == 0 ? load_ : 0);
}

void DiaryWorld::report(const std::string& pod, StatSource source, double concurrency) {
  metrics::Stat stat;
  stat.revision = id_;
  stat.pod = PodName(pod);
  stat.source = source;
  stat.boot = 1;
  stat.sequence = ++sequence_;
  stat.concurrency = stat.peak = concurrency;
  sent_.push_back({stat, clock_.now()});
  while (clock_.now() - sent_.front().end > revision_.settings.window) sent_.pop_front();
  if (!replay_at_) registry_->accept(stat);
}

void DiaryWorld::replay() {
  replay_at_.reset();
  for (Sent& sent : sent_) {
    sent.stat.age = clock_.now() - sent.end;
    registry_->accept(sent.stat);
  }
}

void DiaryWorld::wake_if_nobody_serves() {
  if (load_ <= 0 || ready() > 0) return;
  registry_->accept(metrics::ScaleFromZeroTrigger{.revision = id_,
                                                  .pod = PodName("activator-1"),
                                                  .boot = 1,
                                                  .waiting = static_cast<std::uint64_t>(load_)});
  carry_out_order();
}

void DiaryWorld::decided(ScaledRevision&, const Decision& decision, const Memory&) {
  wanted_ = decision.replicas;
}

void DiaryWorld::carry_out_order() {
  if (!wanted_) return;
  const PodCount want = *std::exchange(wanted_, std::nullopt);
  if (want == revision_.requested) return;
  order(want);
  publish();
}

void DiaryWorld::order(PodCount want) {
  revision_.requested = want;
  while (replicas_.size() < static_cast<std::size_t>(want)) {
    Replica replica;
    replica.name = PodName("web-" + std::to_string(++named_));
    replica.phase = ReplicaPhase::kStarting;
    replica.start.ordered = clock_.now();
    replicas_.push_back(replica);
  }
  replicas_.resize(static_cast<std::size_t>(want));
}

void DiaryWorld::publish() {
  std::vector<Replica> listed = replicas_;
  for (const Leaving& each : leaving_) listed.push_back(each.replica);
  revision_.replicas = cluster::next_replicas(std::move(listed), revision_.replicas);
  list_.put(std::make_shared<const cluster::Revision>(revision_));
  registry_->follow(list_);
}

PodCount DiaryWorld::ready() const {
  return static_cast<PodCount>(
      std::ranges::count(replicas_, ReplicaPhase::kReady, &Replica::phase));
}

}  // namespace bellows::autoscaler::test
