// bellows uninstall: removes Bellows from a Kubernetes cluster.
#include <iostream>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/uninstall/uninstall.hpp"
#include "config/sources/environment.hpp"

namespace bellows::cli {

int uninstall(const Invocation& invocation) {
  const auto settings = uninstall_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const ClusterFlags& flags = settings->cluster;
  if (!invocation.arguments.positional.empty() || !flags.ns.empty() || flags.all_namespaces) {
    return usage_error(invocation,
                       "want no NAME and no namespace: it removes Bellows from the whole cluster");
  }
  http::net::io_context io(1);
  auto cluster = ClusterClient::open(io, flags, config::read_environment());
  if (!cluster) return report_target_error(invocation, cluster.error());
  const auto done = Uninstall(io, **cluster, std::cout, settings->dry_run).run();
  return done ? kSuccess : report_failure(invocation, done.error());
}

}  // namespace bellows::cli
