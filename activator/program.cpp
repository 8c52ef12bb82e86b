#include "activator/program.hpp"

#include <unistd.h>

#include <boost/asio/ip/host_name.hpp>
#include <string>
#include <utility>

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "http/io/admin_server.hpp"

namespace bellows::activator {
namespace {

/// How often a draining activator checks whether it is idle.
constexpr Duration kDrainPollInterval = std::chrono::milliseconds(5);
/// For the last stats and the closing handshakes.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);

metrics::StatSenderWorld sender_world(const config::WebSocketUrl& autoscaler,
                                      const sys::Clock& clock, Random& random) {
  return {
      .connect =
          [autoscaler] { return http::connect_websocket(autoscaler.endpoint, autoscaler.path); },
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

Program::Program(http::net::io_context& io, const sys::Clock& clock, Random& random,
                 config::ActivatorSettings settings)
    : settings_(std::move(settings)),
      clock_(clock),
      reactor_(io, clock),
      registry_(kVersion),
      cluster_(io, clock, random, settings_.cluster),
      sender_(io, sender_world(settings_.autoscaler, clock, random), {}, log_autoscaler),
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
                .on_cold_start = {}}),
      admin_(io, http::admin_port_limits()) {}

Result<void> Program::start() {
  BELLOWS_TRY(const Endpoint serving, service_.start());
  add_admin_pages();
  BELLOWS_TRY(const Endpoint admin, admin_.listen(settings_.admin));
  sys::log::info("listening", {{"address", to_string(serving)}, {"admin", to_string(admin)}});
  cluster_.start();
  sender_.start();
  return {};
}

http::Awaitable<void> Program::drain_and_stop() {
  service_.start_draining();
  const TimePoint deadline = clock_.now() + settings_.drain_timeout.value_or(service_.drain_time());
  while (!service_.is_idle() && clock_.now() < deadline)
    co_await http::sleep_for(kDrainPollInterval);
  co_await service_.stop(deadline);
  const TimePoint end = clock_.now() + kGracePeriod;
  co_await sender_.stop(end);
  co_await cluster_.stop(end);
  co_await admin_.stop(end);
  reactor_.stop();
}

void Program::add_admin_pages() {
  const auto readiness = [this]() -> http::Readiness {
    const Result<void> ready = service_.readiness();
    if (ready) {
      return {.is_ready = true, .reason = cluster::reachability_note(cluster_, clock_.now())};
    }
    return {.is_ready = false, .reason = ready.error().message()};
  };
  const auto metrics = [this] {
    service_.refresh_gauges();
    return registry_.expose();
  };
  http::add_admin_pages(admin_, {.readiness = readiness, .metrics = metrics});
}

}  // namespace bellows::activator
