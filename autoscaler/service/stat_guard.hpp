// Authenticates the senders of stats and triggers, because any process that reaches the port can
// send some.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/rate_limit.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// The reason that a message or a connection was rejected.
enum class Refusal : std::uint8_t {
  kSecret,      ///< a connection without the secret of a replica
  kOtherPod,    ///< the secret or token is that of another sender
  kUnlisted,    ///< of a pod or activator that the cluster does not list
  kTwoSenders,  ///< another connection sends for this pod
  kToken,       ///< a connection without a valid token
};
inline constexpr std::array<std::string_view, 5> kRefusalNames = {"secret", "other-pod", "unlisted",
                                                                  "two-senders", "token"};

/// The last refusal, for the status.
struct LastRefusal {
  TimePoint at{};
  Refusal why = Refusal::kSecret;
  std::string peer;     ///< "127.0.0.1:51234"
  std::string subject;  ///< "pod web-7 of web"; empty: a connection
};

/// The identity of a connection's sender.
struct SenderIdentity {
  enum class Kind : std::uint8_t {
    kUnproven,   ///< the cluster has neither secrets nor tokens
    kReplica,    ///< by its secret: accepted only for `pod` of `revision`
    kPod,        ///< by its token: for `pod` of Revisions of `ns` that list it with `uid`
    kActivator,  ///< by its token: for the activator `pod`
  };
  Kind kind = Kind::kUnproven;
  RevisionId revision = {};
  PodName pod = {};
  std::string ns = {};
  std::string uid = {};
};

/// Returns the identity that a token proves.
SenderIdentity identity_of(const cluster::TokenSender& sender);

/// Filters stats between the connections and the windows. A stat counts if its pod is listed, or
/// was within kGrace (its last seconds; later ones of the same connection, or of one with the
/// secret of a replica, are ignored), and no other connection sends for the pod. The first
/// connection is the sender until it closes or is silent for `dead_after`; the same boot may move
/// to another connection. Stats of a pod that is not listed yet are kept for at most kGrace, kHeld
/// each of kHeldPods pods, and count once the pod is listed. Memory: those, and an entry for each
/// listed pod that reports. Owner: the service. Thread: the io thread.
class StatGuard {
 public:
  static constexpr Duration kGrace = std::chrono::seconds(10);
  static constexpr std::size_t kHeldPods = 64;
  static constexpr std::size_t kHeld = 16;

  /// All outlive it. `sink` receives the accepted stats.
  StatGuard(metrics::StatSink& sink, const cluster::Cluster& cluster, const sys::Clock& clock,
            Duration dead_after);
  ~StatGuard();

  /// Returns the identity of the sender with `secret`; nullopt: the secret is unknown (yet).
  std::optional<SenderIdentity> identify(std::string_view secret) const;

  /// It is called with each stat of a connection that counts as soon as it arrives.
  using OnBelieved = std::function<void(const metrics::Stat&)>;

  /// Returns the sink of one connection. The guard outlives it.
  std::unique_ptr<metrics::StatSink> connection(SenderIdentity identity, std::string peer,
                                                OnBelieved on_believed = {});

  /// Call it when the cluster's list has changed: kept stats of newly listed pods count.
  void list_changed();

  /// Counts and records a refusal; logs warnings at a limited rate. `detail`: why exactly, for the
  /// log; empty: `why` says it all.
  void refuse(Refusal why, const std::string& peer, const std::string& subject,
              std::string_view detail = {});

  std::uint64_t refused(Refusal why) const { return refused_[static_cast<std::size_t>(why)]; }
  std::uint64_t refused() const;
  const std::optional<LastRefusal>& last_refusal() const { return last_; }

 private:
  class Connection;

  /// The sender for a pod.
  struct Sender {
    std::uint64_t connection = 0;
    std::uint64_t boot = 0;
    TimePoint last{};    // of a stat
    TimePoint listed{};  // last seen in the list
  };
  struct HeldStat {
    metrics::Stat stat;
    TimePoint received;
  };
  /// The connection of a stat.
  struct Origin {
    std::uint64_t connection = 0;
    std::string peer;
    std::string uid;  // of the pod whose token it has; empty: it has none
  };
  struct HeldPod {
    Origin origin;
    std::deque<HeldStat> stats;
  };

  /// Returns true if it counts now.
  bool accept(const metrics::Stat& stat, const std::string& key, const Origin& origin);
  bool was_listed(const std::string& key) const;
  bool has_left(const std::string& key, const metrics::Stat& stat) const;
  bool is_listed(const metrics::Stat& stat) const;
  bool is_of_other_pod(const metrics::Stat& stat, const std::string& uid) const;
  void hold(const std::string& key, const metrics::Stat& stat, const Origin& origin);
  void drop_late(TimePoint now);
  void forget_gone(TimePoint now);

  metrics::StatSink& sink_;
  const cluster::Cluster& cluster_;
  const sys::Clock& clock_;
  const Duration dead_after_;
  std::unordered_map<std::string, Sender> senders_;  // by revision and pod
  std::unordered_map<std::string, HeldPod> held_;    // the same
  std::uint64_t connections_ = 0;                    // ever
  std::unordered_set<std::uint64_t> open_;           // connections
  TimePoint looked_at_{};                            // for senders that are gone
  RateLimit warnings_{5, std::chrono::seconds(2)};
  std::array<std::uint64_t, kRefusalNames.size()> refused_{};
  std::optional<LastRefusal> last_;
};

}  // namespace bellows::autoscaler
