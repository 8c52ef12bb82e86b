// activator: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "activator/program.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/program/run_on_kubernetes.hpp"
#include "command/service_settings.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace {

using namespace bellows;

constexpr Duration kStopTimeout = std::chrono::seconds(2);

int fail_to_start(const Error& error, int code) {
  std::cerr << "activator: " << to_string(error) << "\n";
  return code;
}

/// Runs until SIGTERM or SIGINT; a second one exits at once. Starts and stops `cluster`.
http::Awaitable<int> serve(http::net::io_context& io, cluster::KubernetesCluster& cluster,
                           activator::Program& program) {
  http::Event shutdown(io);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&shutdown](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    shutdown.set();
  });
  std::optional<http::Signals> hangups;
  if (program.has_certificates()) {
    hangups.emplace(io, std::initializer_list<int>{SIGHUP},
                    [&program](int, int) { program.reload_certificates(); });
  }
  if (const auto started = program.start(); !started) {
    co_return fail_to_start(started.error(), EXIT_FAILURE);
  }
  cluster.start();
  co_await shutdown.wait();
  cluster.hand_over(program.name());
  co_await program.drain_and_stop();
  co_await cluster.stop(sys::system_clock().now() + kStopTimeout);
  co_return EXIT_SUCCESS;
}

http::Awaitable<int> run(http::net::io_context& io, config::ActivatorSettings settings) {
  cluster::KubernetesOptions options{.role = cluster::KubernetesRole::kActivator,
                                     .paths = {.activator_service = settings.activator_service}};
  const auto make = [&](cluster::KubernetesCluster& cluster, Random& random) {
    return std::make_unique<activator::Program>(io, cluster, sys::system_clock(), random, settings);
  };
  const auto serve_it = [&](kubernetes::ApiClient&, cluster::KubernetesCluster& cluster,
                            activator::Program& program) { return serve(io, cluster, program); };
  const auto code = co_await cluster::run_on_kubernetes(
      io, "bellows-activator", settings.kubernetes, std::move(options), make, serve_it);
  co_return code ? *code : fail_to_start(code.error(), command::kUsageError);
}

}  // namespace

int main(int argc, char** argv) {
  auto settings = command::read_service_settings(config::activator_schema(), "activator",
                                                 config::kActivatorSummary, argc, argv);
  if (!settings) return settings.error();
  const auto tls = activator::check_tls(settings->tls, settings->listen, sys::system_clock());
  if (!tls) return fail_to_start(tls.error(), command::kUsageError);
  config::start_logging(settings->log, "activator");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, std::move(*settings)); });
}
