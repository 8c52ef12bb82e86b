// Removes Bellows from a cluster so that each Service goes on with its own pods.
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/kubernetes/cluster_client.hpp"
#include "cli/uninstall/cluster_changes.hpp"
#include "cli/uninstall/leftovers.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/core/service.hpp"

namespace bellows::cli {

/// The steps are: labels and Revisions away, a replica where none is, slices away once pods take
/// the requests, then the programs, their rights and the kind. It needs no running autoscaler, and
/// does what an earlier run, or a user by hand, has left. Owner: the command. Thread: that of the
/// command.
class Uninstall {
 public:
  /// All of them outlive it. `out` gets a line for each step.
  Uninstall(http::net::io_context& io, ClusterClient& cluster, std::ostream& out, bool is_dry_run)
      : io_(io),
        cluster_(cluster),
        changes_(cluster, is_dry_run),
        out_(out),
        is_dry_run_(is_dry_run) {}

  /// The error names what is in the way; nothing after that step was done. A dry run goes on, so
  /// that it shows all steps, and its error names all that the API server would refuse.
  Result<void> run();

 private:
  struct Wait {
    kubernetes::EndpointSlice slice;
    std::optional<TimePoint> served_since = {};
    bool is_over = false;
  };

  Result<void> look();
  Result<void> look_at_services();
  Result<void> release();
  Result<void> remove_label(const std::string& deployment);
  Result<std::optional<PodCount>> replicas_of(const ReleasedTarget& target);
  Result<void> start(const ReleasedTarget& target);
  Result<void> set_replicas(const ReleasedTarget& target);
  Result<void> start_all();
  Result<void> wait_for_slices();
  Result<void> follow_slices(std::vector<Wait>& waits);
  Result<bool> is_over(Wait& wait);
  std::string delay_of_service(const Wait& wait);
  Error never_served(const Wait& wait);
  void tell_delays(const std::vector<Wait>& waits, TimePoint end);
  Result<std::set<std::string>> namespaces_of_programs();
  Result<void> remove_programs();
  Result<void> remove_definition();
  Result<void> remove_namespace(const std::string& ns);
  Result<std::string> foreign_objects(const std::string& ns);
  Result<void> wait_for_namespace(const std::string& ns);
  Result<void> remove_all(const kubernetes::Resource& resource, const std::string& ns);
  Result<void> remove(const kubernetes::Resource& resource, const std::string& key);
  Result<std::optional<kubernetes::Resource>> resource_of(const cluster::TargetRef& target);
  bool has_kind(const kubernetes::Resource& resource) const;
  Result<kubernetes::ApiAnswer> list(const kubernetes::Resource& resource, const std::string& ns,
                                     const std::string& labels);
  Result<std::vector<kubernetes::EndpointSlice>> slices_of(const std::string& ns,
                                                           const std::string& labels);
  void tell(const std::string& done, const std::string& what);
  void tell_waiting(const std::string& what);
  bool is_time_to_tell();
  void pause();

  http::net::io_context& io_;
  ClusterClient& cluster_;
  ClusterChanges changes_;
  std::ostream& out_;
  const bool is_dry_run_;
  kubernetes::ServerFeatures features_;
  kubernetes::Resource slices_;
  std::vector<std::string> labelled_;  // NAMESPACE/NAME of Deployments
  std::vector<cluster::RevisionObject> revisions_;
  std::vector<kubernetes::EndpointSlice> ours_;
  std::vector<ReleasedTarget> targets_;
  std::set<std::string> at_zero_;                        // of targets_ in look(), not started yet
  std::map<std::string, kubernetes::Service> services_;  // of ours_, by NAMESPACE/NAME
  std::vector<std::string> unserved_;                    // those that nothing else serves
  std::map<std::string, std::vector<kubernetes::ApiResource>> kinds_;  // by apiVersion, of targets
  TimePoint told_{};                 // when progress was told last
  std::vector<std::string> delays_;  // told last
  TimePoint delays_told_{};
  bool has_told_ = false;  // that something was, or would be, changed
};

}  // namespace bellows::cli
