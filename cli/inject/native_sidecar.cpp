#include "cli/inject/native_sidecar.hpp"

#include "cli/kubernetes/cluster_client.hpp"
#include "command/admin/run_blocking.hpp"
#include "config/sources/environment.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::cli {

namespace {

/// Returns true for servers that have them on by default; older servers drop the field, and the pod
/// would wait for the end of its queue-proxy.
bool has_native_sidecars(const kubernetes::ServerVersion& version) {
  constexpr int kFirstMinor = 29;
  return version.major > 1 || (version.major == 1 && version.minor >= kFirstMinor);
}

}  // namespace

Result<bool> wants_native_sidecar(const InjectSettings& settings) {
  if (settings.native_sidecar != NativeSidecar::kAuto) {
    return settings.native_sidecar == NativeSidecar::kTrue;
  }
  if (settings.kubeconfig.empty() && settings.context.empty()) return false;
  http::net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  ClusterFlags flags;
  flags.kubeconfig = settings.kubeconfig;
  flags.context = settings.context;
  BELLOWS_TRY(const auto cluster, ClusterClient::open(io, flags, config::read_environment()));
  BELLOWS_TRY(const auto features, command::run_blocking(io, kubernetes::discover(cluster->api())));
  return has_native_sidecars(features.version);
}

}  // namespace bellows::cli
