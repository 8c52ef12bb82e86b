// autoscaler: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "autoscaler/kubernetes/kubernetes_metrics.hpp"
#include "autoscaler/service/program.hpp"
#include "base/sys/entropy.hpp"
#include "base/version.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "command/service_settings.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "kubernetes/io/api_client.hpp"

namespace {

using namespace bellows;

constexpr Duration kStopTimeout = std::chrono::seconds(2);
/// How long the start waits for the first answer of an API server. Without one the program starts
/// all the same: the server may come later.
constexpr Duration kFirstAnswerTimeout = std::chrono::seconds(5);

int fail_to_start(const Error& error, int code) {
  std::cerr << "autoscaler: " << to_string(error) << "\n";
  return code;
}

/// Until SIGTERM or SIGINT; a second one ends at once. `cluster` is started and stopped here.
template <class AnyCluster>
http::Awaitable<int> serve(http::net::io_context& io, AnyCluster& cluster,
                           autoscaler::Program& program) {
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&program](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    program.end();
  });
  if (const auto started = program.start(); !started) {
    co_return fail_to_start(started.error(), EXIT_FAILURE);
  }
  cluster.start();
  co_await program.serve_until_end();
  co_await cluster.stop(sys::system_clock().now() + kStopTimeout);
  co_return EXIT_SUCCESS;
}

http::Awaitable<int> run_on_machine(http::net::io_context& io,
                                    const config::AutoscalerSettings& settings) {
  SeededRandom random(sys::random_seed());
  cluster::RemoteCluster cluster(io, sys::system_clock(), random,
                                 parse_endpoint(settings.cluster).value());
  autoscaler::Program program(io, cluster, sys::system_clock(), settings);
  co_return co_await serve(io, cluster, program);
}

/// Finds what no wait will cure: a certificate that does not fit, a plugin that does not exist.
http::Awaitable<Result<void>> check_access(kubernetes::ApiClient& client) {
  kubernetes::ApiRequest version("/version");
  version.timeout = kFirstAnswerTimeout;
  const auto answer = co_await client.send(std::move(version));
  const bool is_wrong = !answer && answer.error().kind() == ErrorKind::kInvalidSetting;
  if (is_wrong) co_return fail(answer.error());
  co_return Result<void>();
}

http::Awaitable<int> run_on_kubernetes(http::net::io_context& io,
                                       const config::AutoscalerSettings& settings) {
  auto credentials = kubernetes::load_credentials(io, {.kubeconfig = settings.kubernetes.kubeconfig,
                                                       .context = settings.kubernetes.context,
                                                       .environment = config::read_environment()});
  if (!credentials) co_return fail_to_start(credentials.error(), command::kUsageError);
  SeededRandom random(sys::random_seed());
  kubernetes::ApiClient client(io, *std::move(credentials), random,
                               {.user_agent = "bellows-autoscaler/" + std::string(kVersion)});
  const Result<void> checked = co_await check_access(client);
  if (!checked) co_return fail_to_start(checked.error(), command::kUsageError);
  cluster::KubernetesCluster cluster(io, sys::system_clock(), random, client,
                                     {.ns = settings.kubernetes.ns});
  autoscaler::Program program(io, cluster, sys::system_clock(), settings);
  program.explain_readiness([&cluster] { return cluster.not_ready_reason(); });
  const autoscaler::KubernetesMetrics metrics(program.metrics(), client, cluster,
                                              sys::system_clock());
  co_return co_await serve(io, cluster, program);
}

http::Awaitable<int> run(http::net::io_context& io, const config::AutoscalerSettings& settings) {
  return settings.is_on_kubernetes() ? run_on_kubernetes(io, settings)
                                     : run_on_machine(io, settings);
}

}  // namespace

int main(int argc, char** argv) {
  const auto settings = command::read_service_settings(
      config::autoscaler_schema(), "autoscaler",
      "Decides how many replicas each service runs, from the stats of its replicas", argc, argv);
  if (!settings) return settings.error();
  config::start_logging(settings->log, "autoscaler");
  return http::run_program([&](http::net::io_context& io) { return run(io, *settings); });
}
