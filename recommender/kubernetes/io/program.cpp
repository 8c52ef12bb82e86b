#include "recommender/kubernetes/io/program.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/sys/entropy.hpp"
#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "cluster/kubernetes/program/run_on_kubernetes.hpp"
#include "cluster/kubernetes/program/standby.hpp"
#include "http/io/admin_server.hpp"
#include "http/io/event.hpp"
#include "http/io/signals.hpp"
#include "recommender/kubernetes/io/kubernetes_recommender.hpp"

namespace bellows::recommender {

namespace {

constexpr Duration kStopTime = std::chrono::seconds(2);
/// Thousands of statuses change at once after a start. The server has its own limits.
constexpr double kCallsPerSecond = 500;

http::ServiceServerOptions server_options() {
  http::ServiceServerOptions options;
  // Others watch the holder of the lease by its address, Prometheus and the kubelet too.
  options.access->hosts = {"*"};
  return options;
}

void add_pages(http::ServiceServer& server, KubernetesRecommender& recommender,
               metrics::prometheus::Registry& registry) {
  recommender.add_routes(server);
  recommender.add_metrics(registry);
  http::add_admin_pages(server, {.readiness =
                                     [&recommender] {
                                       std::string reason = recommender.not_ready_reason();
                                       if (!reason.empty()) return http::Readiness{false, reason};
                                       return http::Readiness{true, recommender.metrics_problem()};
                                     },
                                 .metrics = [&registry] { return registry.expose(); }});
}

kubernetes::ElectorCallbacks election(const std::string& lease, std::function<void()> end) {
  return {.elected =
              [lease] {
                sys::log::info("holds the lease, writes recommendations", {{"lease", lease}});
              },
          .lost =
              [lease, end = std::move(end)](const std::string& holder) {
                sys::log::error("another recommender has taken the lease, this one ends",
                                {{"lease", lease}, {"holder", holder}});
                end();
              }};
}

}  // namespace

http::Awaitable<Result<int>> serve_on_kubernetes(
    http::net::io_context& io, const config::RecommenderProgramSettings& settings) {
  SeededRandom random(sys::random_seed());
  BELLOWS_CO_TRY(const auto client,
                 co_await cluster::open_client(io, random, "bellows-recommender",
                                               settings.kubernetes, kCallsPerSecond));
  const sys::Clock& clock = sys::system_clock();
  KubernetesRecommender recommender(io, clock, *client, random, settings);
  metrics::prometheus::Registry registry(kVersion);
  http::ServiceServer server(io, server_options());
  add_pages(server, recommender, registry);
  http::Event end(io);
  int code = EXIT_SUCCESS;
  std::optional<cluster::Standby> standby;
  if (!settings.lease.empty()) {
    standby.emplace(io, *client, settings.lease, election(settings.lease, [&] {
                      code = EXIT_FAILURE;
                      end.set();
                    }));
    standby->add_route(server);
  }
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&end](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    end.set();
  });
  BELLOWS_CO_TRY(const Endpoint address, server.listen(settings.listen));
  sys::log::info("listening", {{"address", to_string(address)}});
  recommender.start();
  if (standby) co_await standby->start(address);
  co_await end.wait();
  const TimePoint deadline = clock.now() + kStopTime;
  co_await recommender.stop(deadline);
  if (standby) co_await standby->stop(clock.now() + kStopTime);
  co_await server.stop(clock.now() + kStopTime);
  co_return code;
}

}  // namespace bellows::recommender
