// The changes that `bellows uninstall` makes to objects of a cluster, or has the API server check.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "base/result.hpp"
#include "cli/kubernetes/cluster_client.hpp"

namespace bellows::cli {

/// A dry run sends each change with `dryRun: All`: the API server checks rights and admission, and
/// stores nothing. Owner: the command. Thread: that of the command.
class ClusterChanges {
 public:
  /// `cluster` outlives it.
  ClusterChanges(ClusterClient& cluster, bool is_dry_run)
      : cluster_(cluster), is_dry_run_(is_dry_run) {}

  /// Deletes an object, and in the background what it owns. Returns false if it is gone already.
  Result<bool> remove(const kubernetes::Resource& resource, const std::string& key);
  /// Sends a merge patch. An object that is gone is no error.
  Result<void> patch(const kubernetes::Resource& resource, const std::string& key,
                     const std::string& subresource, std::string body);

  /// Fails if the API server has refused something in a dry run: names each missing right once, and
  /// each object that admission protects.
  Result<void> refusals() const;

 private:
  Result<bool> send(const kubernetes::ApiRequest& request);

  ClusterClient& cluster_;
  const bool is_dry_run_;
  std::set<std::string> refused_;
};

}  // namespace bellows::cli
