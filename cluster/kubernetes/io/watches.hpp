// Watches the kinds that are needed, and passes their objects to the Directory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/service_slices.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/io/scale_reader.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/informer.hpp"

namespace bellows::cluster {

using BareObjectPtr = std::shared_ptr<const kubernetes::BareObject>;  // shared with the store
/// `after` is null once the object is gone.
using BareObjectCallback = std::function<void(const BareObjectPtr& after)>;

/// The informers call them for one object at a time.
struct WatchCallbacks {
  std::function<void()> changed;  ///< the Directory has something to join
  /// A Deployment or a Revision has changed, which may need an adoption.
  std::function<void(const std::string& target_key)> adoptable;
  std::function<void(const RevisionObjectPtr& before, const RevisionObjectPtr& after)> revision;
  /// Called only if slices are watched.
  std::function<void(const SlicePtr& before, const SlicePtr& after)> slice;
  /// The definition of the kind Revision, and the namespace of the activators. Null: it is not
  /// watched.
  BareObjectCallback definition;
  BareObjectCallback activators_namespace;
};

/// Watches Revisions, Deployments, pods, Services and HorizontalPodAutoscalers always,
/// EndpointSlices after want_slices(), ScaledObjects if the server has them, other targets from the
/// first Revision on that names their kind. Owner: the KubernetesCluster. Thread: the io thread.
class Watches {
 public:
  /// All of them outlive it.
  Watches(http::net::io_context& io, kubernetes::ApiClient& client, Random& random, std::string ns,
          Directory& directory, WatchCallbacks callbacks);
  /// Watches EndpointSlices too; those of `activators_ns` even if only another namespace is
  /// watched. Call it before follow().
  void want_slices(std::string activators_ns);
  ~Watches();

  /// Starts what the server has. A later call follows a server that was replaced by one with other
  /// versions.
  void follow(const kubernetes::ServerFeatures& features);
  void stop();
  http::Awaitable<Result<void>> join(TimePoint deadline);

  /// Returns true once every kind that is always watched has been listed.
  bool all_listed() const;
  std::vector<WatchedKind> statuses() const;

  /// Returns where /scale of a target is; nullopt: its kind is unknown.
  std::optional<kubernetes::Resource> resource_of(const TargetRef& target) const;

  /// Uses `body`, the response to a write, from now on if it is newer than what is listed.
  void take_revision(const std::string& body);
  /// Does the same for an EndpointSlice.
  void take_slice(const std::string& body);

 private:
  class Watch;

  void start(std::string key, kubernetes::ListWatchOptions options,
             std::unique_ptr<kubernetes::ObjectSink> sink, std::function<void()> listed);
  void start_revisions();
  void start_single(std::string_view key, kubernetes::Resource resource, std::string_view name,
                    const BareObjectCallback& changed);
  void revision_changed(const RevisionObjectPtr& before, const RevisionObjectPtr& after);
  void follow_slices(const kubernetes::ServerFeatures& features);
  void start_slices(const std::string& key, const kubernetes::Resource& resource, std::string ns);
  void start_targets(const std::string& kind, const kubernetes::Resource& resource);
  void follow_optional(const std::string& key, std::optional<kubernetes::Resource> resource);
  std::unique_ptr<kubernetes::ObjectSink> scaler_sink(const std::string& key);
  kubernetes::ListWatchOptions options_for(const kubernetes::Resource& resource) const;
  void need_kind(const TargetRef& target);
  http::Awaitable<void> find_kind(TargetRef target);

  http::net::io_context& io_;
  kubernetes::ApiClient& client_;
  Random& random_;
  std::string ns_;
  Directory& directory_;
  WatchCallbacks callbacks_;
  bool try_watch_list_ = false;
  std::map<std::string, std::unique_ptr<Watch>> watches_;
  std::vector<std::unique_ptr<Watch>> ended_;          // of kinds that the server no longer has
  std::map<std::string, kubernetes::Resource> kinds_;  // of targets, by "group/Kind"
  std::set<std::string> missing_kinds_;                // looked up until the server has them
  kubernetes::ObjectSink* revisions_ = nullptr;        // within watches_
  ScaleReader scales_;
  std::optional<std::string> activators_ns_;  // set: slices are wanted
  http::TaskGroup tasks_;
};

}  // namespace bellows::cluster
