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
      return "its secret or token is that of another sender";
    case Refusal::kUnlisted:
      return "the cluster does not list it";
    case Refusal::kTwoSenders:
      return "another connection sends for it";
    case Refusal::kToken:
      return "it does not have a valid token";
  }
  return "";
}

/// Revisions of a cluster with namespaces are NAMESPACE/NAME.
bool is_in(const std::string& ns, const RevisionId& revision) {
  return revision.text().starts_with(ns + "/");
}

}  // namespace

class StatGuard::Connection final : public metrics::StatSink {
 public:
  Connection(StatGuard& guard, std::uint64_t number, SenderIdentity identity, std::string peer,
             OnBelieved on_believed)
      : guard_(guard),
        identity_(std::move(identity)),
        origin_{.connection = number, .peer = std::move(peer), .uid = identity_.uid},
        on_believed_(std::move(on_believed)) {}
  ~Connection() override { guard_.open_.erase(origin_.connection); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void accept(const metrics::Stat& stat) override {
    if (!may_send(stat)) {
      return refuse(Refusal::kOtherPod, source_text(stat.source), stat.pod, stat.revision);
    }
    const std::string key = key_of(stat);
    // The secret was that of a listed replica.
    const bool was_known = key == believed_ || identity_.kind == SenderIdentity::Kind::kReplica;
    if (was_known && guard_.has_left(key, stat)) return;
    if (!guard_.accept(stat, key, origin_)) return;
    believed_ = key;
    if (on_believed_) on_believed_(stat);
  }

  void accept(const metrics::ScaleFromZeroTrigger& trigger) override {
    if (!may_send(trigger)) {
      return refuse(Refusal::kOtherPod, "activator", trigger.pod, trigger.revision);
    }
    if (!is_listed(trigger.pod)) {
      return refuse(Refusal::kUnlisted, "activator", trigger.pod, trigger.revision);
    }
    guard_.sink_.accept(trigger);
  }

 private:
  bool may_send(const metrics::Stat& stat) const {
    using Kind = SenderIdentity::Kind;
    if (identity_.kind == Kind::kUnproven) return true;
    const bool is_replica = stat.source == metrics::StatSource::kReplica;
    if (stat.pod != identity_.pod || is_replica == (identity_.kind == Kind::kActivator)) {
      return false;
    }
    if (identity_.kind == Kind::kReplica) return stat.revision == identity_.revision;
    if (identity_.kind == Kind::kActivator) return true;
    return is_in(identity_.ns, stat.revision) && !guard_.is_of_other_pod(stat, identity_.uid);
  }
  bool may_send(const metrics::ScaleFromZeroTrigger& trigger) const {
    using Kind = SenderIdentity::Kind;
    return identity_.kind == Kind::kUnproven ||
           (identity_.kind == Kind::kActivator && trigger.pod == identity_.pod);
  }

  /// Accepts every activator if the cluster lists none at all.
  bool is_listed(const PodName& activator) const {
    const auto& all = guard_.cluster_.activators();
    return all.empty() || std::ranges::find(all, activator, &cluster::Activator::name) != all.end();
  }

  void refuse(Refusal why, std::string_view source, const PodName& pod,
              const RevisionId& revision) {
    guard_.refuse(why, origin_.peer, subject_of(source, pod, revision));
  }

  StatGuard& guard_;
  const SenderIdentity identity_;
  const Origin origin_;
  const OnBelieved on_believed_;
  std::string believed_;  // the key of the last stat that counted
};

SenderIdentity identity_of(const cluster::TokenSender& sender) {
  using Kind = SenderIdentity::Kind;
  return {.kind = sender.is_activator ? Kind::kActivator : Kind::kPod,
          .revision = {},
          .pod = sender.pod,
          .ns = sender.ns,
          .uid = sender.uid};
}

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

/// Returns true if the pod of that name is listed with another uid: the sender is its predecessor,
/// or a pod of that name in another cluster.
bool StatGuard::is_of_other_pod(const metrics::Stat& stat, const std::string& uid) const {
  if (uid.empty() || stat.source == metrics::StatSource::kActivator) return false;
  const cluster::RevisionPtr revision = cluster_.revisions().find(stat.revision);
  const cluster::Replica* const replica = revision ? revision->find(stat.pod) : nullptr;
  return replica != nullptr && replica->uid != uid;
}

/// Returns true if its pod was listed within kGrace.
bool StatGuard::was_listed(const std::string& key) const {
  const auto known = senders_.find(key);
  return known != senders_.end() && clock_.now() - known->second.listed <= kGrace;
}

/// Returns true, of a pod that was listed once, if it is not any more: a removed revision finishes
/// its requests, which may take minutes, and nobody decides about it.
bool StatGuard::has_left(const std::string& key, const metrics::Stat& stat) const {
  return !is_listed(stat) && !was_listed(key);
}

bool StatGuard::accept(const metrics::Stat& stat, const std::string& key, const Origin& origin) {
  const TimePoint now = clock_.now();
  forget_gone(now);
  const bool listed = is_listed(stat);
  const auto known = senders_.find(key);
  if (!listed && !was_listed(key)) {
    hold(key, stat, origin);
    return false;
  }
  Sender& sender = known != senders_.end() ? known->second : senders_[key];
  const bool is_other = sender.connection != origin.connection && sender.boot != stat.boot &&
                        open_.contains(sender.connection) && now - sender.last <= dead_after_;
  if (is_other) {
    refuse(Refusal::kTwoSenders, origin.peer,
           subject_of(source_text(stat.source), stat.pod, stat.revision));
    return false;
  }
  sender.connection = origin.connection;
  sender.boot = stat.boot;
  sender.last = now;
  if (listed) sender.listed = now;
  sink_.accept(stat);
  return true;
}

/// Keeps a stat of an unlisted pod until the pod is listed.
void StatGuard::hold(const std::string& key, const metrics::Stat& stat, const Origin& origin) {
  drop_late(clock_.now());
  auto pod = held_.find(key);
  const bool is_full = pod == held_.end() ? held_.size() >= kHeldPods
                                          : pod->second.origin.connection != origin.connection;
  if (is_full) {
    return refuse(Refusal::kUnlisted, origin.peer,
                  subject_of(source_text(stat.source), stat.pod, stat.revision));
  }
  if (pod == held_.end()) pod = held_.emplace(key, HeldPod{origin, {}}).first;
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
      refuse(Refusal::kUnlisted, pod.origin.peer,
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
      if (is_of_other_pod(stat, pod.origin.uid)) {
        refuse(Refusal::kOtherPod, pod.origin.peer,
               subject_of(source_text(stat.source), stat.pod, stat.revision));
      } else {
        accept(stat, key_of(stat), pod.origin);
      }
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

void StatGuard::refuse(Refusal why, const std::string& peer, const std::string& subject,
                       std::string_view detail) {
  const TimePoint now = clock_.now();
  ++refused_[static_cast<std::size_t>(why)];
  last_ = {.at = now, .why = why, .peer = peer, .subject = subject};
  if (!warnings_.allow(now)) return;
  sys::log::warning("stats rejected", {{"peer", peer},
                                       {"of", subject},
                                       {"because", detail.empty() ? explanation(why) : detail},
                                       {"not_logged_before", warnings_.take_refused()}});
}

std::uint64_t StatGuard::refused() const {
  return std::accumulate(refused_.begin(), refused_.end(), std::uint64_t{0});
}

}  // namespace bellows::autoscaler
