// The target of a command: a Bellows on this machine, or one on a Kubernetes cluster.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/client_settings.hpp"
#include "cli/kubernetes/cluster_client.hpp"
#include "cli/status/status_model.hpp"
#include "command/admin/admin_client.hpp"
#include "command/command.hpp"

namespace bellows::cli {

/// Owner: a command. Thread: that of the command.
class Target {
 public:
  /// Returns the cluster that the flags name, otherwise the machine at --admin. Sends nothing. The
  /// error names what cannot be used. `io` outlives it.
  static Result<Target> open(http::net::io_context& io, const ClientSettings& settings);

  const command::AdminServer& admin() const { return admin_; }
  /// Sends one request to the admin port and waits; see request_admin().
  Result<http::Response> request(std::string method, std::string target);

  bool is_cluster() const { return cluster_ != nullptr; }
  /// Requires is_cluster().
  ClusterClient& cluster() { return *cluster_; }

  /// Returns the service or the revision that a user calls `word`, as pages name it: "web"; on a
  /// cluster "shop/web". kInvalidSetting: not a name.
  Result<std::string> page_name(const std::string& word) const;
  /// Returns the service, or the revision of one, that a user calls `word`. kNotFound with the
  /// names of the services.
  Result<ServiceStatus> named(const std::string& word, const Status& status) const;
  /// Keeps the services that the flags name, by the names that users call them.
  void narrow(Status& status) const;
  /// Returns "service" or "revision".
  std::string_view noun() const { return is_cluster() ? "revision" : "service"; }

  /// Sets the state of a revision, or of those of a service that get requests: on a cluster with
  /// the user's own rights. `action` is the page of one machine ("retire"), `state` that of
  /// spec.state ("Retired").
  Result<void> set_state(const std::string& name, const std::string& action,
                         const std::string& state);

  /// Returns the control socket, at which a Bellows on one machine accepts changes. The error says
  /// why there is none, or that nothing answers.
  Result<command::AdminServer> control_of_machine();

 private:
  explicit Target(http::net::io_context& io) : io_(&io) {}

  http::net::io_context* io_;
  std::unique_ptr<ClusterClient> cluster_;
  command::AdminServer admin_;
};

/// Prints what failed. Returns the exit code: 2 for a setting that cannot be used, otherwise 1.
int report_target_error(const command::Invocation& invocation, const Error& error);

}  // namespace bellows::cli
