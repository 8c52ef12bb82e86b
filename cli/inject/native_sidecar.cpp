#include "cli/inject/native_sidecar.hpp"

#include "cli/kubernetes/cluster_client.hpp"
#include "command/admin/run_blocking.hpp"
#include "config/sources/environment.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::cli {

Result<bool> wants_native_sidecar(const InjectSettings& settings) {
  const injector::PodSettings& pods = settings.pods;
  if (pods.native_sidecar != injector::NativeSidecar::kAuto) {
    return pods.native_sidecar == injector::NativeSidecar::kTrue;
  }
  if (pods.kubeconfig.empty() && pods.context.empty()) return false;
  http::net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  ClusterFlags flags;
  flags.kubeconfig = pods.kubeconfig;
  flags.context = pods.context;
  BELLOWS_TRY(const auto cluster, ClusterClient::open(io, flags, config::read_environment()));
  BELLOWS_TRY(const auto features, command::run_blocking(io, kubernetes::discover(cluster->api())));
  return has_native_sidecars(features.version);
}

}  // namespace bellows::cli
