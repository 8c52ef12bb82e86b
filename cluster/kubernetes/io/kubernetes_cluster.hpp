// A Kubernetes cluster: revisions are the Revision objects of the API server, replicas are pods.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/kubernetes/core/paths.hpp"
#include "cluster/kubernetes/core/settings.hpp"
#include "kubernetes/core/list_watch.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// The program that follows the cluster.
enum class KubernetesRole : std::uint8_t {
  kAutoscaler,  ///< the only writer of slices, statuses, events and Revisions
  kStandby,     ///< an autoscaler that reads the same and writes nothing before take_over()
  kActivator,   ///< reads the same; it writes one replica in place of none, and itself out of paths
};

struct KubernetesOptions {
  std::string ns = {};  ///< one namespace; empty: all
  KubernetesRole role = KubernetesRole::kAutoscaler;
  PathOptions paths = {};
  std::string own_deployment = {};  ///< NAMESPACE/NAME of this program's; empty: in no pod
  SettingsCheck check = {};         ///< of policies: who decides by them knows them
  bool verifies_tokens = false;     ///< of the senders of stats
};

/// One watched kind, for /metrics and /readyz.
struct WatchedKind {
  std::string name;  ///< "pods", "revisions.bellows.dev"
  kubernetes::ListWatchStatus status;
  bool is_needed = true;  ///< without it, and without its right, everything else works
};

/// Follows the API server and writes to it: numbers by /scale, a Revision for each labelled
/// Deployment, statuses and events. While the server cannot be reached the last list stays and
/// orders fail with kUnavailable; after that, orders are sent within 5 s, and none scales down
/// before the lists have been confirmed (core/outage.hpp). When the CustomResourceDefinition of
/// Revisions is being deleted, it gives the cluster back: no revision stays at zero, no path is
/// left. Owner: the program. Thread: the io thread.
class KubernetesCluster final : public Cluster {
 public:
  /// All of them outlive it. Sends nothing before start().
  KubernetesCluster(http::net::io_context& io, const sys::Clock& clock, Random& random,
                    kubernetes::ApiClient& client, KubernetesOptions options);
  ~KubernetesCluster() override;
  KubernetesCluster(const KubernetesCluster&) = delete;
  KubernetesCluster& operator=(const KubernetesCluster&) = delete;

  void start();
  /// Becomes the autoscaler that writes, after KubernetesRole::kStandby.
  void take_over();
  /// Gives the cluster back if this program's Deployment has been deleted, so that no other one
  /// follows. Returns when that is done, at the latest at `deadline`.
  http::Awaitable<void> leave_if_uninstalled(TimePoint deadline);
  /// Takes the activator `self`, which ends, out of the paths that the autoscaler leaves it in.
  void hand_over(PodName self);
  /// Stops watching and writing, and waits until pending work has ended.
  http::Awaitable<void> stop(TimePoint deadline);

  const RevisionList& revisions() const override;
  bool ready() const override;  ///< every kind has been listed once
  std::optional<TimePoint> unreachable_since() const override;
  std::unique_ptr<Subscription> subscribe(OnChange on_change) override;
  /// Does as Cluster::scale(). kConflict with the reason if nothing may be written: the number has
  /// another owner, the target does not exist, it was set back too often, or callers of the Service
  /// would reach nobody at zero; then activators start to join the path.
  http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) override;
  http::Awaitable<Result<void>> set_state(RevisionId revision, RevisionState state) override;
  void report(RevisionId revision, Report report) override;
  const std::vector<Activator>& activators() const override;
  bool takes_orders() const override;  ///< false: it stands by
  SenderTokens* sender_tokens() const override;
  void route(RevisionId revision, PathOrder order) override;

  /// Returns why ready() is false, one line with what to do; empty: it is ready.
  std::string not_ready_reason() const;
  std::vector<WatchedKind> watches() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::cluster
