// A Kubernetes cluster as a command sees it: its API server, and Bellows' autoscaler behind it.
#pragma once

#include <memory>
#include <string>

#include "base/random.hpp"
#include "cli/kubernetes/cluster_flags.hpp"
#include "command/admin/admin_client.hpp"
#include "config/layer.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cli {

/// Owner: a command. Thread: that of the command.
class ClusterClient {
 public:
  /// Reads the credentials; nothing is sent. kInvalidSetting names the file, context or key. `io`
  /// outlives it.
  static Result<std::unique_ptr<ClusterClient>> open(http::net::io_context& io, ClusterFlags flags,
                                                     const config::Environment& environment);

  /// Returns the namespace of a NAME without one.
  const std::string& ns() const { return ns_; }
  const ClusterFlags& flags() const { return flags_; }
  kubernetes::ApiClient& api() { return *api_; }

  /// Sends a request and waits for the whole response of any status.
  Result<kubernetes::ApiAnswer> send(kubernetes::ApiRequest request);

  /// Returns the pages of the autoscaler, through the API server's proxy of its Service: with the
  /// user's own rights, and without a port that is open to others. The result refers to this
  /// object.
  command::AdminServer autoscaler();

  /// Returns the Revision as JSON, read with the user's own rights.
  Result<std::string> revision(const NamespacedName& revision);
  /// Sets spec.state of the Revision with the user's own rights: "Active", "Paused" or "Retired".
  Result<void> set_state(const NamespacedName& revision, const std::string& state);

 private:
  ClusterClient(http::net::io_context& io, ClusterFlags flags,
                std::shared_ptr<kubernetes::Credentials> credentials);

  http::Awaitable<Result<http::Response>> ask_autoscaler(std::string method, std::string target);

  http::net::io_context& io_;
  const ClusterFlags flags_;
  const std::string ns_;
  SeededRandom random_;
  std::unique_ptr<kubernetes::ApiClient> api_;
};

}  // namespace bellows::cli
