#include "activator/program.hpp"

#include <unistd.h>

#include <boost/asio/ip/host_name.hpp>
#include <string>
#include <utility>

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "proxy/core/drain.hpp"

namespace bellows::activator {
namespace {

/// How often a draining activator checks whether it is idle.
constexpr Duration kDrainPollInterval = std::chrono::milliseconds(5);
/// For the last stats and the closing handshakes.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);

/// The autoscaler knows by the URL whose stream has broken (docs/wire.md).
metrics::StatSenderWorld sender_world(const config::WebSocketUrl& autoscaler, const PodName& name,
                                      const sys::Clock& clock, Random& random) {
  return {.connect = [endpoint = autoscaler.endpoint,
                      path = autoscaler.path + "?activator=" +
                             name.text()] { return http::connect_websocket(endpoint, path); },
          .sleep = http::sleep_for,
          .clock = &clock,
          .random = &random};
}

http::HeadLimits head_limits(const config::ActivatorSettings& settings) {
  const auto total = static_cast<std::uint32_t>(settings.max_header_bytes.value);
  return {
      .fields = static_cast<std::uint32_t>(settings.max_headers), .line = total, .total = total};
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
      sender_(io, sender_world(settings_.autoscaler, own_name(settings_), clock, random), {},
              log_autoscaler),
      access_log_(settings_.access_log.enabled ? std::optional<proxy::AccessLog>(
                                                     std::in_place, reactor_, settings_.access_log)
                                               : std::nullopt),
      service_(reactor_, cluster_, sender_, registry_,
               {.listen = settings_.listen,
                .identity = {.pod = own_name(settings_), .boot = random.next()},
                .share = {.activators = settings_.activators, .index = settings_.activator_index},
                .access_log = access_log_ ? &*access_log_ : nullptr,
                .server = {.head = head_limits(settings_),
                           .head_settings = {.fields = "max-headers", .bytes = "max-header-bytes"}},
                .upstream = {},
                .is_autoscaler_connected = [this] { return sender_.connected(); },
                .probes_starts = settings_.is_on_kubernetes(),
                .on_cold_start = {}}),
      admin_(io, http::admin_port_limits()) {}

Result<void> Program::start() {
  BELLOWS_TRY(const Endpoint serving, service_.start());
  add_admin_pages();
  BELLOWS_TRY(const Endpoint admin, admin_.listen(settings_.admin));
  sys::log::info("listening", {{"address", to_string(serving)}, {"admin", to_string(admin)}});
  sender_.start();
  return {};
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
  http::add_admin_pages(admin_, {.readiness = [this] { return readiness(); }, .metrics = metrics});
}

}  // namespace bellows::activator
