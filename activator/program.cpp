#include "activator/program.hpp"

#include <unistd.h>

#include <boost/asio/ip/host_name.hpp>
#include <string>
#include <utility>

#include "base/sys/cores.hpp"
#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "config/worker_count.hpp"
#include "metrics/stream/connect.hpp"
#include "proxy/core/drain.hpp"
#include "proxy/io/server_options.hpp"
#include "proxy/io/span_exporter.hpp"

namespace bellows::activator {
namespace {

/// Interval at which a draining activator checks whether it is idle.
constexpr Duration kDrainPollInterval = std::chrono::milliseconds(5);
/// Time for the last stats and the closing handshakes.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);

metrics::StatSendersWorld sender_world(const config::ActivatorSettings& settings,
                                       const PodName& name, const sys::Clock& clock,
                                       Random& random) {
  // By the name the autoscaler knows which stream it has lost (docs/formats/wire.md).
  metrics::StatTarget target{.endpoint = settings.autoscaler.endpoint,
                             .path = settings.autoscaler.path + "?activator=" + name.text(),
                             .secret = {},
                             .token_file = settings.stats_token_file};
  return metrics::world_to(std::move(target), clock, random);
}

proxy::ProxyServerOptions server_options(const config::ActivatorSettings& settings) {
  proxy::ProxyServerOptions options = proxy::server_options(settings.server, settings.trace);
  options.reads_small_bodies = true;  // its requests wait for slots of replicas
  options.error_detail = settings.error_detail;
  return options;
}

/// Pages are fetched through the API server, whose own name is then in Host. It decides who may
/// fetch them.
http::ServiceServerOptions admin_options(const config::ActivatorSettings& settings) {
  http::ServiceServerOptions options = http::admin_port_limits();
  options.access->hosts = http::read_hosts(settings.admin_hosts);
  if (settings.admin_hosts.empty()) options.access->hosts = {"*"};
  options.access->details = http::AccessRules::Details::kToAll;
  return options;
}

PodName own_name(const config::ActivatorSettings& settings) {
  boost::system::error_code unknown;
  const std::string host = http::net::ip::host_name(unknown);
  return config::source_name(settings, unknown ? "" : host, ::getpid());
}

void log_autoscaler(bool is_connected) {
  if (is_connected) {
    sys::log::info("connected to the autoscaler");
  } else {
    sys::log::warning("lost the autoscaler; revisions at zero are scaled up without it");
  }
}

}  // namespace

Program::Program(http::net::io_context& io, cluster::Cluster& cluster, const sys::Clock& clock,
                 Random& random, config::ActivatorSettings settings)
    : settings_(std::move(settings)),
      clock_(clock),
      reactor_(io, clock),
      registry_(kVersion),
      cluster_(cluster),
      sender_(io, sender_world(settings_, own_name(settings_), clock, random), {},
              {.on_change = log_autoscaler, .on_settings = {}}),
      access_log_(settings_.access_log.enabled ? std::optional<proxy::AccessLog>(
                                                     std::in_place, reactor_, settings_.access_log)
                                               : std::nullopt),
      spans_(proxy::make_span_exporter(
          reactor_, settings_.trace,
          {.service = "bellows-activator", .instance = own_name(settings_).text()})),
      service_(reactor_, cluster_, sender_, registry_,
               {.listen = settings_.listen,
                .tls = settings_.tls,
                .identity = {.pod = own_name(settings_), .boot = random.next()},
                .access_log = access_log_ ? &*access_log_ : nullptr,
                .spans = spans_.get(),
                .server = server_options(settings_),
                .upstream = {},
                .is_autoscaler_connected = [this] { return sender_.connected(); },
                .probes_starts = true,
                .workers = config::worker_count(settings_.workers, sys::usable_cores())}),
      admin_(io, admin_options(settings_)) {}

Result<void> Program::start() {
  BELLOWS_TRY(const Endpoint serving, service_.start());
  add_admin_pages();
  BELLOWS_TRY(const Endpoint admin, admin_.listen(settings_.admin));
  sys::log::info("listening", {{"address", to_string(serving)}, {"admin", to_string(admin)}});
  sender_.start();
  return {};
}

PodName Program::name() const {
  return own_name(settings_);
}

http::Awaitable<void> Program::drain_and_stop() {
  const Duration quiet = settings_.drain_quiet_time;
  proxy::Drain drain(
      {.timeout = settings_.drain_timeout.value_or(service_.drain_time()), .quiet = quiet});
  drain.start(proxy::DrainCause::kSignal, clock_.now());
  sys::log::info("draining", {{"in_flight", service_.open_requests()}});
  const bool callers_are_late = quiet > Duration::zero();
  service_.start_draining(callers_are_late ? proxy::IdleConnections::kKeep
                                           : proxy::IdleConnections::kClose);
  while (drain.state(service_.open_requests(), clock_.now()) == proxy::DrainState::kDraining) {
    co_await http::sleep_for(kDrainPollInterval);
    if (!callers_are_late) continue;
    const auto arrival = service_.last_arrival(clock_.now() - quiet);
    if (arrival) drain.note_arrival(*arrival);
  }
  co_await service_.stop(*drain.deadline());
  const TimePoint end = clock_.now() + kGracePeriod;
  if (spans_) co_await spans_->stop(end);
  co_await sender_.stop(end);
  co_await admin_.stop(end);
  reactor_.stop();
}

http::Readiness Program::readiness() const {
  const Result<void> ready = service_.readiness();
  if (ready) {
    return {.is_ready = true, .reason = cluster::reachability_note(cluster_, clock_.now())};
  }
  if (!cluster_.ready() && not_ready_reason_) {
    return {.is_ready = false, .reason = not_ready_reason_()};
  }
  return {.is_ready = false, .reason = ready.error().message()};
}

void Program::add_admin_pages() {
  const auto metrics = [this] {
    service_.refresh_gauges();
    return registry_.expose();
  };
  service_.add_routes(admin_);
  http::add_admin_pages(admin_, {.readiness = [this] { return readiness(); }, .metrics = metrics});
}

}  // namespace bellows::activator
