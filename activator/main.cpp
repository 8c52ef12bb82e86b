// activator: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include "activator/program.hpp"
#include "base/sys/entropy.hpp"
#include "base/version.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/metrics/kubernetes_metrics.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "command/service_settings.hpp"
#include "config/path_settings.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "kubernetes/io/open_client.hpp"

namespace {

using namespace bellows;

constexpr Duration kStopTimeout = std::chrono::seconds(2);

int fail_to_start(const Error& error, int code) {
  std::cerr << "activator: " << to_string(error) << "\n";
  return code;
}

/// Until SIGTERM or SIGINT; a second one exits at once. `cluster` is started and stopped here.
template <class AnyCluster>
http::Awaitable<int> serve(http::net::io_context& io, AnyCluster& cluster,
                           activator::Program& program) {
  http::Event shutdown(io);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&shutdown](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    shutdown.set();
  });
  if (const auto started = program.start(); !started) {
    co_return fail_to_start(started.error(), EXIT_FAILURE);
  }
  cluster.start();
  co_await shutdown.wait();
  co_await program.drain_and_stop();
  co_await cluster.stop(sys::system_clock().now() + kStopTimeout);
  co_return EXIT_SUCCESS;
}

http::Awaitable<int> run_on_machine(http::net::io_context& io, config::ActivatorSettings settings) {
  SeededRandom random(sys::random_seed());
  cluster::RemoteCluster cluster(io, sys::system_clock(), random,
                                 parse_endpoint(settings.cluster).value());
  activator::Program program(io, cluster, sys::system_clock(), random, std::move(settings));
  co_return co_await serve(io, cluster, program);
}

http::Awaitable<int> run_on_kubernetes(http::net::io_context& io,
                                       config::ActivatorSettings settings) {
  SeededRandom random(sys::random_seed());
  kubernetes::CredentialsOptions credentials{.kubeconfig = settings.kubernetes.kubeconfig,
                                             .context = settings.kubernetes.context,
                                             .environment = config::read_environment()};
  // Named: GCC 12 destroys an aggregate twice that is made within a co_await.
  kubernetes::ApiClientOptions options{.user_agent = "bellows-activator/" + std::string(kVersion)};
  const auto client =
      co_await kubernetes::open_client(io, random, std::move(credentials), std::move(options));
  if (!client) co_return fail_to_start(client.error(), command::kUsageError);
  cluster::KubernetesCluster cluster(
      io, sys::system_clock(), random, **client,
      {.ns = settings.kubernetes.ns,
       .role = cluster::KubernetesRole::kActivator,
       .paths = {.activator_service = config::PathSettings().activator_service}});
  activator::Program program(io, cluster, sys::system_clock(), random, std::move(settings));
  program.explain_readiness([&cluster] { return cluster.not_ready_reason(); });
  const cluster::KubernetesMetrics metrics(program.metrics(), **client, cluster,
                                           sys::system_clock());
  co_return co_await serve(io, cluster, program);
}

http::Awaitable<int> run(http::net::io_context& io, config::ActivatorSettings settings) {
  return settings.is_on_kubernetes() ? run_on_kubernetes(io, std::move(settings))
                                     : run_on_machine(io, std::move(settings));
}

}  // namespace

int main(int argc, char** argv) {
  auto settings = command::read_service_settings(
      config::activator_schema(), "activator",
      "Holds requests until a replica is ready, and balances them over the ready replicas", argc,
      argv);
  if (!settings) return settings.error();
  config::start_logging(settings->log, "activator");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, std::move(*settings)); });
}
