// autoscaler: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/service/program.hpp"
#include "base/sys/log.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/kubernetes/program/run_on_kubernetes.hpp"
#include "cluster/kubernetes/program/standby.hpp"
#include "command/service_settings.hpp"
#include "config/port_range.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace {

using namespace bellows;

constexpr Duration kStopTimeout = std::chrono::seconds(2);
/// Less than the grace period of its pod: what is left then is named in the log.
constexpr Duration kLeaveTimeout = std::chrono::seconds(110);

int fail_to_start(const Error& error, int code) {
  std::cerr << "autoscaler: " << to_string(error) << "\n";
  return code;
}

kubernetes::ElectorCallbacks election(cluster::KubernetesCluster& cluster, const std::string& lease,
                                      std::function<void()> end) {
  return {.elected =
              [&cluster, lease] {
                sys::log::info("holds the lease, orders replicas", {{"lease", lease}});
                cluster.take_over();
              },
          .lost =
              [lease, end = std::move(end)](const std::string& holder) {
                sys::log::error("another autoscaler has taken the lease, this one ends",
                                {{"lease", lease}, {"holder", holder}});
                end();
              }};
}

/// Until SIGTERM or SIGINT, or until another autoscaler takes the lease (exit code 1); a second
/// signal ends at once. `cluster` is started and stopped here. It gives the cluster back first if
/// no other autoscaler follows.
http::Awaitable<int> serve(http::net::io_context& io, kubernetes::ApiClient& client,
                           cluster::KubernetesCluster& cluster, autoscaler::Program& program,
                           const std::string& lease) {
  http::Event shutdown(io);
  int code = EXIT_SUCCESS;
  std::optional<cluster::Standby> standby;
  if (!lease.empty()) {
    standby.emplace(io, client, lease, election(cluster, lease, [&] {
                      code = EXIT_FAILURE;
                      shutdown.set();
                    }));
    standby->add_route(program.server());
  }
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&shutdown](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    shutdown.set();
  });
  if (const auto started = program.start(); !started) {
    co_return fail_to_start(started.error(), EXIT_FAILURE);
  }
  cluster.start();
  if (standby) co_await standby->start(program.address());
  co_await shutdown.wait();
  co_await cluster.leave_if_uninstalled(sys::system_clock().now() + kLeaveTimeout);
  program.end();
  co_await program.serve_until_end();
  co_await cluster.stop(sys::system_clock().now() + kStopTimeout);
  if (standby) co_await standby->stop(sys::system_clock().now() + kStopTimeout);
  co_return code;
}

cluster::PathOptions path_options(const config::PathSettings& settings) {
  return {.activator_service = settings.activator_service,
          .ports = config::read_port_range(settings.activator_ports).value(),
          .settle = settings.settle_time,
          .has_last_resort = settings.last_resort_endpoints,
          .are_on_each_node = settings.activators_on_each_node};
}

Result<void> check_policies(const config::RevisionSettings& settings) {
  BELLOWS_CHECKED(autoscaler::policies_of(settings));
  return {};
}

http::Awaitable<int> run(http::net::io_context& io, const config::AutoscalerSettings& settings) {
  const bool is_alone = settings.lease.empty();
  cluster::KubernetesOptions options{
      .role = is_alone ? cluster::KubernetesRole::kAutoscaler : cluster::KubernetesRole::kStandby,
      .paths = path_options(settings.path),
      .own_deployment = cluster::own_deployment(),
      .check = check_policies,
      .verifies_tokens = settings.stats_auth == config::StatsAuth::kOn};
  const auto make = [&](cluster::KubernetesCluster& cluster, Random&) {
    return std::make_unique<autoscaler::Program>(io, cluster, sys::system_clock(), settings);
  };
  const auto serve_it = [&](kubernetes::ApiClient& client, cluster::KubernetesCluster& cluster,
                            autoscaler::Program& program) {
    return serve(io, client, cluster, program, settings.lease);
  };
  const auto code = co_await cluster::run_on_kubernetes(
      io, "bellows-autoscaler", settings.kubernetes, std::move(options), make, serve_it);
  co_return code ? *code : fail_to_start(code.error(), command::kUsageError);
}

}  // namespace

int main(int argc, char** argv) {
  const auto settings = command::read_service_settings(config::autoscaler_schema(), "autoscaler",
                                                       config::kAutoscalerSummary, argc, argv);
  if (!settings) return settings.error();
  config::start_logging(settings->log, "autoscaler");
  return http::run_program([&](http::net::io_context& io) { return run(io, *settings); });
}
