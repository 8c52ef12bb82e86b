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
  if (!invocation.arguments.positional.empty()) {
    return usage_error(invocation, "want no NAME: it removes Bellows from the whole cluster");
  }
  http::net::io_context io(1);
  auto cluster = ClusterClient::open(io, settings->cluster, config::read_environment());
  if (!cluster) return report_target_error(invocation, cluster.error());
  if (!settings->dry_run) {
    std::cout << "checking: the API server is asked whether it allows each step" << std::endl;
    std::ostream nowhere(nullptr);
    const auto allowed = Uninstall(io, **cluster, nowhere, true).run();
    if (!allowed) return report_failure(invocation, allowed.error());
  }
  const auto done = Uninstall(io, **cluster, std::cout, settings->dry_run).run();
  return done ? kSuccess : report_failure(invocation, done.error());
}

}  // namespace bellows::cli
