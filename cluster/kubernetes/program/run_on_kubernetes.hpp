// Runs a program whose cluster is Kubernetes, from its settings to its end.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/entropy.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/metrics/kubernetes_metrics.hpp"
#include "config/kubernetes_settings.hpp"
#include "http/io/net.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// Opens the client of the API server that the settings name, as kubernetes::open_client() does.
/// `program` is its user agent, with the version; `calls_per_second` its rate limit, after a pause
/// twice as many at once. `random` outlives the client.
http::Awaitable<Result<std::unique_ptr<kubernetes::ApiClient>>> open_client(
    http::net::io_context& io, Random& random, std::string program,
    const config::KubernetesSettings& settings,
    double calls_per_second = kubernetes::ApiClientOptions().calls_per_second);

/// Returns NAMESPACE/NAME of the Deployment that made the pod of this process; empty: it is in no
/// pod.
std::string own_deployment();

/// Opens the client, makes the cluster from it, and the program of the cluster; the program reports
/// why the cluster is not ready, and has its series. `make(cluster, random)` returns a unique_ptr
/// to the program. `serve(client, cluster, program)` starts and stops both, and returns the exit
/// code. An error is one of open_client(): nothing was made yet. `settings` outlives the call.
template <class Make, class Serve>
http::Awaitable<Result<int>> run_on_kubernetes(http::net::io_context& io, std::string name,
                                               const config::KubernetesSettings& settings,
                                               KubernetesOptions options, Make make, Serve serve) {
  SeededRandom random(sys::random_seed());
  const auto client = co_await open_client(io, random, std::move(name), settings);
  if (!client) co_return fail(client.error());
  options.ns = settings.ns;
  KubernetesCluster cluster(io, sys::system_clock(), random, **client, std::move(options));
  const auto program = make(cluster, random);
  program->explain_readiness([&cluster] { return cluster.not_ready_reason(); });
  const KubernetesMetrics metrics(program->metrics(), **client, cluster, sys::system_clock());
  const int code = co_await serve(**client, cluster, *program);
  co_return code;
}

}  // namespace bellows::cluster
