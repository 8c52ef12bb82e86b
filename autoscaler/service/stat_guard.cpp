#include "autoscaler/service/stat_guard.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::autoscaler {
namespace {

std::string key_of(const metrics::Stat& stat) {
  return stat.revision.text() + '\n' + stat.pod.text();
}

std::string subject_of(std::string_view source, const PodName& pod, const RevisionId& revision) {
  return std::string(source) + " " + pod.text() + " of " + revision.text();
}

std::string_view source_text(metrics::StatSource source) {
  return source == metrics::StatSource::kActivator ? "activator" : "pod";
}

/// Compares in constant time, so that a secret cannot be guessed byte by byte.
bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::string_view explanation(Refusal why) {
  switch (why) {
    case Refusal::kSecret:
      return "it does not have the secret of a replica";
    case Refusal::kOtherPod:
      return "its secret is that of another sender";
    case Refusal::kUnlisted:
      return "the cluster does not list it";
    case Refusal::kTwoSenders:
      return "another connection sends for it";
  }
  return "";
}

}  // namespace

class StatGuard::Connection final : public metrics::StatSink {
 public:
  Connection(StatGuard& guard, std::uint64_t number, SenderIdentity identity, std::string peer,
             OnBelieved on_believed)
      : guard_(guard),
        number_(number),
        identity_(std::move(identity)),
        peer_(std::move(peer)),
        on_believed_(std::move(on_believed)) {}
  ~Connection() override { guard_.open_.erase(number_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void accept(const metrics::Stat& stat) override {
    if (!may_send(stat)) {
      return refuse(Refusal::kOtherPod, source_text(stat.source), stat.pod, stat.revision);
    }
    const std::string key = key_of(stat);
    if (key == believed_ && guard_.has_left(key, stat)) return;
    if (!guard_.accept(stat, key, number_, peer_)) return;
    believed_ = key;
    if (on_believed_) on_believed_(stat);
  }

  void accept(const metrics::ScaleFromZeroTrigger& trigger) override {
    if (identity_.kind == SenderIdentity::Kind::kReplica) {
      return refuse(Refusal::kOtherPod, "activator", trigger.pod, trigger.revision);
    }
    if (!is_listed(trigger.pod)) {
      return refuse(Refusal::kUnlisted, "activator", trigger.pod, trigger.revision);
    }
    guard_.sink_.accept(trigger);
  }

 private:
  bool may_send(const metrics::Stat& stat) const {
    if (identity_.kind == SenderIdentity::Kind::kUnproven) return true;
    return stat.source == metrics::StatSource::kReplica && stat.pod == identity_.pod &&
           stat.revision == identity_.revision;
  }

  /// Accepts every activator if the cluster lists none at all.
  bool is_listed(const PodName& activator) const {
    const auto& all = guard_.cluster_.activators();
    return all.empty() || std::ranges::find(all, activator, &cluster::Activator::name) != all.end();
  }

  void refuse(Refusal why, std::string_view source, const PodName& pod,
              const RevisionId& revision) {
    guard_.refuse(why, peer_, subject_of(source, pod, revision));
  }

  StatGuard& guard_;
  const std::uint64_t number_;
  const SenderIdentity identity_;
  const std::string peer_;
  const OnBelieved on_believed_;
  std::string believed_;  // the key of the last stat that counted
};

StatGuard::StatGuard(metrics::StatSink& sink, const cluster::Cluster& cluster,
                     const sys::Clock& clock, Duration dead_after)
    : sink_(sink), cluster_(cluster), clock_(clock), dead_after_(dead_after) {}

StatGuard::~StatGuard() = default;

std::optional<SenderIdentity> StatGuard::identify(std::string_view secret) const {
  if (!cluster_.has_stat_secrets()) return SenderIdentity{};
  if (secret.empty()) return std::nullopt;
  for (const cluster::RevisionPtr& revision : cluster_.revisions()) {
    for (const cluster::ReplicaPtr& replica : revision->replicas) {
      if (!is_same_secret(secret, replica->stat_secret)) continue;
      return SenderIdentity{
          .kind = SenderIdentity::Kind::kReplica, .revision = revision->id, .pod = replica->name};
    }
  }
  return std::nullopt;
}

std::unique_ptr<metrics::StatSink> StatGuard::connection(SenderIdentity identity, std::string peer,
                                                         OnBelieved on_believed) {
  open_.insert(++connections_);
  return std::make_unique<Connection>(*this, connections_, std::move(identity), std::move(peer),
                                      std::move(on_believed));
}

bool StatGuard::is_listed(const metrics::Stat& stat) const {
  if (stat.source == metrics::StatSource::kActivator) {
    const auto& all = cluster_.activators();
    return all.empty() || std::ranges::find(all, stat.pod, &cluster::Activator::name) != all.end();
  }
  const cluster::RevisionPtr revision = cluster_.revisions().find(stat.revision);
  return revision != nullptr && revision->find(stat.pod) != nullptr;
}

/// Returns true if its pod was listed within kGrace.
bool StatGuard::was_listed(const std::string& key) const {
  const auto known = senders_.find(key);
  return known != senders_.end() && clock_.now() - known->second.listed <= kGrace;
}

/// Returns true of a pod that was listed once: a removed revision finishes its requests, which may
/// take minutes, and nobody decides about it any more.
bool StatGuard::has_left(const std::string& key, const metrics::Stat& stat) const {
  return !is_listed(stat) && !was_listed(key);
}

bool StatGuard::accept(const metrics::Stat& stat, const std::string& key, std::uint64_t connection,
                       const std::string& peer) {
  const TimePoint now = clock_.now();
  forget_gone(now);
  const bool listed = is_listed(stat);
  const auto known = senders_.find(key);
  if (!listed && !was_listed(key)) {
    hold(key, stat, connection, peer);
    return false;
  }
  Sender& sender = known != senders_.end() ? known->second : senders_[key];
  const bool is_other = sender.connection != connection && sender.boot != stat.boot &&
                        open_.contains(sender.connection) && now - sender.last <= dead_after_;
  if (is_other) {
    refuse(Refusal::kTwoSenders, peer,
           subject_of(source_text(stat.source), stat.pod, stat.revision));
    return false;
  }
  sender.connection = connection;
  sender.boot = stat.boot;
  sender.last = now;
  if (listed) sender.listed = now;
  sink_.accept(stat);
  return true;
}

/// Keeps a stat of an unlisted pod until the pod is listed.
void StatGuard::hold(const std::string& key, const metrics::Stat& stat, std::uint64_t connection,
                     const std::string& peer) {
  drop_late(clock_.now());
  auto pod = held_.find(key);
  const bool is_full =
      pod == held_.end() ? held_.size() >= kHeldPods : pod->second.connection != connection;
  if (is_full) {
    return refuse(Refusal::kUnlisted, peer,
                  subject_of(source_text(stat.source), stat.pod, stat.revision));
  }
  if (pod == held_.end()) pod = held_.emplace(key, HeldPod{connection, peer, {}}).first;
  auto& stats = pod->second.stats;
  if (stats.size() == kHeld) stats.pop_front();
  stats.push_back({stat, clock_.now()});
}

/// Rejects the stats of a pod that was not listed within kGrace.
void StatGuard::drop_late(TimePoint now) {
  for (auto entry = held_.begin(); entry != held_.end();) {
    HeldPod& pod = entry->second;
    while (!pod.stats.empty() && now - pod.stats.front().received > kGrace) {
      const metrics::Stat& stat = pod.stats.front().stat;
      refuse(Refusal::kUnlisted, pod.peer,
             subject_of(source_text(stat.source), stat.pod, stat.revision));
      pod.stats.pop_front();
    }
    entry = pod.stats.empty() ? held_.erase(entry) : std::next(entry);
  }
}

void StatGuard::list_changed() {
  const TimePoint now = clock_.now();
  drop_late(now);
  for (auto entry = held_.begin(); entry != held_.end();) {
    if (!is_listed(entry->second.stats.front().stat)) {
      ++entry;
      continue;
    }
    const HeldPod pod = std::move(entry->second);
    entry = held_.erase(entry);
    for (const HeldStat& held : pod.stats) {
      metrics::Stat stat = held.stat;
      stat.age += now - held.received;
      accept(stat, key_of(stat), pod.connection, pod.peer);
    }
  }
}

/// Deletes senders of removed pods, once in kGrace.
void StatGuard::forget_gone(TimePoint now) {
  if (now - looked_at_ < kGrace) return;
  looked_at_ = now;
  std::erase_if(senders_, [&](const auto& entry) {
    return now - std::max(entry.second.last, entry.second.listed) > kGrace;
  });
}

void StatGuard::refuse(Refusal why, const std::string& peer, const std::string& subject) {
  const TimePoint now = clock_.now();
  ++refused_[static_cast<std::size_t>(why)];
  last_ = {.at = now, .why = why, .peer = peer, .subject = subject};
  if (!warnings_.allow(now)) return;
  sys::log::warning("stats rejected", {{"peer", peer},
                                       {"of", subject},
                                       {"because", explanation(why)},
                                       {"not_logged_before", warnings_.take_refused()}});
}

std::uint64_t StatGuard::refused() const {
  return std::accumulate(refused_.begin(), refused_.end(), std::uint64_t{0});
}

}  // namespace bellows::autoscaler
