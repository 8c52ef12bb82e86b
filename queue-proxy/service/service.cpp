#include "queue-proxy/service/service.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "http/io/admin_server.hpp"

namespace bellows::queue_proxy {

namespace {

/// For the last stat, once no request is in flight any more.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);
/// How often a draining replica checks whether a request is left.
constexpr Duration kDrainPollInterval = std::chrono::milliseconds(5);

metrics::StatSenderWorld sender_world(const config::QueueProxySettings& settings,
                                      const sys::Clock& clock, Random& random) {
  return {
      .connect =
          [url = settings.autoscaler] { return http::connect_websocket(url.endpoint, url.path); },
      .sleep = http::sleep_for,
      .clock = &clock,
      .random = &random};
}

AppProbe app_probe(const config::QueueProxySettings& settings) {
  const config::ReadinessProbe& probe = settings.readiness;
  return {.app = {.host = probe.host.empty() ? settings.user_host : probe.host,
                  .port = probe.port == 0 ? settings.user_port : probe.port,
                  .unix_path = {}},
          .path = probe.path,
          .timeout = probe.timeout};
}

/// The activator has applied its limits, and adds header lines to the heads that it accepts.
proxy::ProxyServerOptions server_options(const config::QueueProxySettings& settings) {
  proxy::ProxyServerOptions options;
  if (settings.behind_activator) options.head = http::kMaxHeadLimits;
  return options;
}

ProbeSchedule probe_schedule(const config::QueueProxySettings& settings) {
  ProbeSchedule schedule;
  schedule.eager = settings.starting_probe_interval();
  schedule.ready = settings.readiness.period;
  schedule.failures_until_unready = settings.readiness.failure_threshold;
  return schedule;
}

}  // namespace

Service::Service(http::net::io_context& io, const sys::Clock& clock, Random& random,
                 config::QueueProxySettings settings)
    : settings_(std::move(settings)),
      clock_(clock),
      reactor_(io, clock),
      registry_(kVersion),
      instruments_(registry_),
      notifier_(settings_.notify_fd),
      meter_(clock.now()),
      sender_(io, sender_world(settings_, clock, random),
              {.replay_window = settings_.stable_window}),
      reporter_(io, clock, settings_.revision, settings_.pod, random.next(), meter_, sender_),
      prober_(io, clock, app_probe(settings_), probe_schedule(settings_),
              {.has_requests = [this] { return handler_.awaiting_response() > 0; },
               .on_change = [this] { readiness_changed(); },
               .on_failure = [this] { probe_failed(); }}),
      pool_(reactor_),
      handler_(settings_, pool_, prober_.readiness(), meter_, instruments_,
               [this] { app_refused(); }),
      server_(reactor_, handler_, server_options(settings_)),
      series_(proxy::list_server_series(registry_, "bellows_queue_proxy", server_)),
      admin_(io, http::admin_port_limits()),
      drain_(settings_.drain_time()),
      unready_log_(clock.now()) {
  if (!settings_.access_log.enabled) return;
  access_log_.emplace(reactor_, settings_.access_log);
  server_.set_observer([this](proxy::Exchange& exchange, const proxy::Outcome& outcome) {
    access_log_->write(exchange, outcome);
  });
}

Result<void> Service::start() {
  const auto serve = [this](const Endpoint& at) { return server_.listen(at); };
  BELLOWS_TRY(const Endpoint serving,
              open_port("queue-serving-port", settings_.serving_port, serve));
  add_admin_pages();
  const auto administer = [this](const Endpoint& at) { return admin_.listen(at); };
  BELLOWS_TRY(const Endpoint admin, open_port("admin-port", settings_.admin_port, administer));
  notifier_.listening(serving, admin);
  sys::log::info("listening", {{"serving", to_string(serving)},
                               {"admin", to_string(admin)},
                               {"app", to_string(app_probe(settings_).app)}});
  prober_.start();
  if (!settings_.autoscaler.empty()) {
    sender_.start();
    reporter_.start();
  }
  return {};
}

Result<Endpoint> Service::open_port(
    std::string_view setting, std::uint16_t port,
    const std::function<Result<Endpoint>(const Endpoint&)>& listen) const {
  auto endpoint = listen({.host = settings_.listen_host, .port = port, .unix_path = {}});
  if (endpoint) return endpoint;
  return fail(endpoint.error().kind(), std::string(setting),
              to_string(endpoint.error()) + "; want a port of listen-host that is free, or 0");
}

void Service::app_restarted() {
  prober_.app_restarted();
}

/// Ignored if probes go to another address: they would succeed at once, again and again.
void Service::app_refused() {
  const Endpoint app{.host = settings_.user_host, .port = settings_.user_port, .unix_path = {}};
  if (app_probe(settings_).app == app) prober_.app_refused();
}

http::Awaitable<void> Service::drain_and_stop() {
  const TimePoint began = clock_.now();
  drain_.start(began);
  prober_.start_draining();
  notifier_.draining();
  sys::log::info("draining", {{"in_flight", server_.counters().in_flight},
                              {"at_most", settings_.drain_time()}});
  server_.start_draining();
  const auto open_requests = [this] { return server_.is_idle() ? 0 : 1; };
  while (drain_.state(open_requests(), clock_.now()) == DrainState::kDraining) {
    co_await http::sleep_for(kDrainPollInterval);
  }
  co_await server_.stop(*drain_.deadline());
  if (const std::uint64_t stopped = server_.counters().stopped; stopped > 0) {
    sys::log::warning("requests stopped", {{"requests", stopped},
                                           {"because", "drain-timeout is over"},
                                           {"after", settings_.drain_time()}});
  }
  if (!settings_.autoscaler.empty()) {
    reporter_.close_second();
    co_await reporter_.stop(clock_.now() + kGracePeriod);
    co_await sender_.stop(clock_.now() + kGracePeriod);
  }
  co_await prober_.stop(clock_.now() + kGracePeriod);
  co_await admin_.stop(clock_.now() + kGracePeriod);
  pool_.clear();
  reactor_.stop();
  sys::log::info("ended", {{"took", clock_.now() - began}});
}

void Service::add_admin_pages() {
  const auto readiness = [this] {
    return http::Readiness{.is_ready = prober_.readiness().is_ready(),
                           .reason = prober_.readiness().reason()};
  };
  http::add_admin_pages(admin_,
                        {.readiness = readiness, .metrics = [this] { return metrics_text(); }});
}

std::string Service::metrics_text() {
  const metrics::StatSenderCounters sent = sender_.counters();
  instruments_.in_flight.set(static_cast<double>(handler_.running()));
  instruments_.queue_depth.set(static_cast<double>(handler_.waiting()));
  instruments_.ready.set(prober_.readiness().is_ready() ? 1 : 0);
  instruments_.connected.set(sender_.connected() ? 1 : 0);
  instruments_.stats_sent.add(sent.stats_sent - instruments_.stats_sent.value());
  instruments_.stats_dropped.add(sent.stats_dropped - instruments_.stats_dropped.value());
  if (access_log_) {
    instruments_.access_log_dropped.add(access_log_->dropped() -
                                        instruments_.access_log_dropped.value());
  }
  return registry_.expose();
}

void Service::readiness_changed() {
  const Readiness& readiness = prober_.readiness();
  if (readiness.is_ready()) {
    notifier_.ready();
    sys::log::info("ready");
  } else if (readiness.state() != ReadinessState::kDraining) {
    notifier_.unready(readiness.reason());
    unready_log_.readiness_lost(readiness.reason(), clock_.now());
    warn_unready();
  }
}

void Service::probe_failed() {
  if (unready_log_.should_log(prober_.readiness().reason(), clock_.now())) warn_unready();
}

/// A parent that is notified of readiness decides itself what to warn of.
void Service::warn_unready() const {
  const auto log = settings_.notify_fd < 0 ? sys::log::warning : sys::log::info;
  log("the app is not ready", {{"because", prober_.readiness().reason()}});
}

}  // namespace bellows::queue_proxy
