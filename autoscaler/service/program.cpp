#include "autoscaler/service/program.hpp"

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "cluster/core/app_line.hpp"
#include "http/io/admin_server.hpp"

namespace bellows::autoscaler {
namespace {

constexpr Duration kStopTime = std::chrono::seconds(2);

/// Detects a hanging sender as soon as its stats would count as missing, because an activator
/// without load sends none.
http::ServiceServerOptions server_options(const config::AutoscalerSettings& settings) {
  http::ServiceServerOptions options;
  options.websocket.ping_after = kDeadSourceAfter / 3;
  options.websocket.dead_after = kDeadSourceAfter;
  options.access->hosts = http::read_hosts(settings.admin_hosts);
  options.withhold = cluster::withhold_app_lines;
  // The API server forwards requests with its own name as host, and authorises them.
  if (settings.admin_hosts.empty()) options.access->hosts = {"*"};
  options.access->details = http::AccessRules::Details::kToAll;
  return options;
}

}  // namespace

Program::Program(http::net::io_context& io, cluster::Cluster& cluster, const sys::Clock& clock,
                 const config::AutoscalerSettings& settings)
    : cluster_(cluster),
      clock_(clock),
      settings_(settings),
      metrics_(kVersion),
      service_(io, cluster, clock, metrics_, {.state_file = settings.state_file}),
      server_(io, server_options(settings)),
      end_(io, http::AsioTimer::time_point::max()) {
  service_.add_routes(server_);
  add_admin_pages();
}

void Program::add_admin_pages() {
  http::add_admin_pages(
      server_,
      {.readiness =
           [this] {
             if (is_ending_) return http::Readiness{false, "stopping"};
             if (cluster_.ready()) {
               return http::Readiness{true, cluster::reachability_note(cluster_, clock_.now())};
             }
             if (not_ready_reason_) return http::Readiness{false, not_ready_reason_()};
             return http::Readiness{false, "the cluster has not been listed yet"};
           },
       .metrics =
           [this] {
             service_.refresh_metrics();
             return metrics_.expose();
           }});
}

Result<void> Program::start() {
  BELLOWS_TRY(address_, server_.listen(settings_.listen));
  service_.start();
  sys::log::info("listening", {{"address", to_string(address_)}});
  return {};
}

void Program::end() {
  is_ending_ = true;
  end_.cancel();
}

http::Awaitable<void> Program::serve_until_end() {
  boost::system::error_code cancelled;
  if (!is_ending_) co_await end_.async_wait(http::awaiting(cancelled));
  const TimePoint deadline = clock_.now() + kStopTime;
  co_await service_.stop(deadline);
  co_await server_.stop(deadline);
}

}  // namespace bellows::autoscaler
