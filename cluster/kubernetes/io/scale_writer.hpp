// Writes numbers of replicas.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/outage.hpp"
#include "cluster/kubernetes/core/set_back.hpp"
#include "cluster/kubernetes/io/event_writer.hpp"
#include "cluster/kubernetes/io/watches.hpp"

namespace bellows::cluster {

/// Orders become JSON patches of /scale (core/scale_patch.hpp). Owner: the KubernetesCluster.
/// Thread: the io thread.
class ScaleWriter {
 public:
  struct Parts {
    const sys::Clock& clock;
    kubernetes::ApiClient& client;
    http::TaskGroup& tasks;
    Directory& directory;
    Watches& watches;
    const Outage& outage;
    EventWriter& events;
    std::function<void(const RevisionId&)> changed;  ///< what is reported about it may have changed
  };
  explicit ScaleWriter(Parts parts);

  /// Servers from 1.22 on remove the pods with the lowest cost first.
  void use_deletion_cost(bool is_there) { has_deletion_cost_ = is_there; }

  /// Does as Cluster::scale(), for a Revision that is listed and not retired.
  http::Awaitable<Result<void>> order(RevisionId id, ScaleOrder order);
  /// Scales a retired Revision to zero, once.
  void drain(const RevisionId& id);
  /// Records that another client has changed a number that we wrote.
  void set_back(const RevisionId& id);
  /// Sets a Deployment at zero back to its number from before the adoption.
  http::Awaitable<Result<void>> restore(std::string ns, std::string name, std::string uid,
                                        PodCount replicas);

  void forget(const RevisionId& id);
  /// Returns the error of the last order; empty: it was accepted.
  std::string error_of(const RevisionId& id) const;
  /// Returns who keeps setting the number back; empty: nobody.
  std::string set_back_by(const RevisionId& id) const;

 private:
  struct Orders {
    SetBack set_back;
    std::string set_back_by;
    std::string error;
    TimePoint next_drain{};
  };

  Result<std::optional<PodCount>> number_for(const RevisionId& id, const Record& record,
                                             PodCount desired) const;
  http::Awaitable<Result<void>> when_reachable(bool is_down);
  /// Returns null if it is deleted, or its target is no longer that of the order.
  const Record* find(const RevisionId& id, const std::string& target_uid) const;
  struct Change {
    PodCount seen = 0;
    PodCount desired = 0;
  };
  http::Awaitable<Result<void>> write(RevisionId id, std::string target_uid, Change change);
  http::Awaitable<Result<kubernetes::ApiAnswer>> patch(const Record& record, Change change);
  Result<void> taken(const RevisionId& id, const kubernetes::ApiAnswer& answer);
  http::Awaitable<Result<void>> after_conflict(RevisionId id, std::string target_uid,
                                               Change change);
  http::Awaitable<Result<void>> order_more(RevisionId id, std::string target_uid, PodCount number);
  http::Awaitable<Result<void>> order_fewer(RevisionId id, ScaleOrder order, std::string target_uid,
                                            PodCount number);
  http::Awaitable<Result<PodCount>> number_to_lower(RevisionId id, std::string target_uid);
  /// Returns false if a pod was not marked.
  http::Awaitable<bool> mark_victims(RevisionId id, Revision revision, ScaleOrder order);
  http::Awaitable<bool> mark(std::string ns, std::string pod, bool is_victim);
  http::Awaitable<void> find_manager(RevisionId id);
  http::Awaitable<void> write_zero(RevisionId id);
  kubernetes::Resource resource_of(const Record& record) const;
  void finished(const RevisionId& id, PodCount desired, const std::string& reason,
                const Result<void>& result);

  Parts parts_;
  bool has_deletion_cost_ = false;
  bool has_zero_ = false;  // see scale_patch()
  std::unordered_map<RevisionId, Orders> orders_;
  std::set<RevisionId> under_way_;
  Lifetime lifetime_;  // for orders that are destroyed with the io_context, after this
};

}  // namespace bellows::cluster
