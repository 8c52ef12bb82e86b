#include "queue-proxy/service/service.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "http/io/admin_server.hpp"
#include "metrics/stream/connect.hpp"
#include "proxy/io/observers.hpp"
#include "proxy/io/server_options.hpp"
#include "queue-proxy/core/live_settings.hpp"
#include "queue-proxy/service/occupancy_pages.hpp"

namespace bellows::queue_proxy {

namespace {

/// Time for the last stat, once no request is in flight.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);

metrics::StatSendersWorld sender_world(const config::QueueProxySettings& settings,
                                       const sys::Clock& clock, Random& random) {
  metrics::StatTarget target{.endpoint = settings.autoscaler.endpoint,
                             .path = settings.autoscaler.path,
                             .secret = settings.stat_secret,
                             .token_file = settings.stats_token_file};
  return metrics::world_to(std::move(target), clock, random);
}

AppProbe app_probe(const config::QueueProxySettings& settings,
                   const config::ReadinessProbe& probe) {
  const auto app = [&settings](const std::string& host, std::uint16_t port) {
    return Endpoint{.host = host.empty() ? settings.user_host : host,
                    .port = port == 0 ? settings.user_port : port,
                    .unix_path = {}};
  };
  AppProbe made{.checks = {{.app = app(probe.host, probe.port),
                            .path = probe.path,
                            .headers = probe.headers,
                            .grpc_service = probe.grpc_service}},
                .timeout = probe.timeout,
                .requests = app({}, 0),
                .protocol = settings.app_protocol};
  for (const config::ReadinessCheck& other : probe.others) {
    made.checks.push_back({.app = app(other.host, other.port),
                           .path = other.path,
                           .headers = other.headers,
                           .grpc_service = other.grpc_service});
  }
  return made;
}

proxy::ProxyServerOptions server_options(const config::QueueProxySettings& settings) {
  proxy::ProxyServerOptions options = proxy::server_options(settings.server, settings.trace);
  options.reads_small_bodies = settings.container_concurrency > 0;
  options.error_detail = settings.error_detail;
  return options;
}

std::string_view cause_text(DrainCause cause) {
  switch (cause) {
    case DrainCause::kAppHook:
      return "a hook of the app";
    case DrainCause::kPodHook:
      return "the hook of this container";
    case DrainCause::kSignal:
      break;
  }
  return "a signal";
}

ProbeSchedule probe_schedule(const config::QueueProxySettings& settings) {
  ProbeSchedule schedule;
  schedule.eager = settings.starting_probe_interval();
  schedule.ready = settings.readiness.period;
  schedule.failures_until_unready = settings.readiness.failure_threshold;
  return schedule;
}

LivenessSchedule liveness_schedule(const config::ReadinessProbe& probe) {
  return {.period = probe.period, .failures_until_hung = probe.failure_threshold};
}

/// Returns the options of the admin port. In a pod it is also reachable through the API server,
/// whose own name is then in Host.
http::ServiceServerOptions admin_options(const config::QueueProxySettings& settings) {
  http::ServiceServerOptions options = http::admin_port_limits();
  if (!settings.behind_activator) options.access->hosts = {"*"};
  // The app in the same pod reports that it is occupied.
  options.access->changes = http::AccessRules::Changes::kOfLoopback;
  return options;
}

}  // namespace

Service::Service(http::net::io_context& io, const sys::Clock& clock, Random& random,
                 config::QueueProxySettings settings)
    : settings_(std::move(settings)),
      live_(settings_),
      clock_(clock),
      reactor_(io, clock),
      registry_(kVersion),
      instruments_(registry_),
      notifier_(settings_.notify_fd),
      meter_(clock.now()),
      app_usage_(settings_.user_port),
      sender_(io, sender_world(settings_, clock, random), {.replay_window = settings_.window},
              {.on_change = {}, .on_settings = [this](const auto& order) { return take(order); }}),
      reporter_(
          io, clock, settings_.revision, settings_.pod, random.next(),
          {.load = meter_, .service = service_meter_, .app = app_usage_, .occupancy = occupancy_},
          sender_),
      prober_(io, clock, app_probe(settings_, settings_.readiness), probe_schedule(settings_),
              {.has_requests = [this] { return handler_.awaiting_response() > 0; },
               .answers = [this] { return handler_.answers(); },
               .on_change = [this] { readiness_changed(); },
               .on_failure = [this] { probe_failed(); }}),
      pool_(reactor_),
      handler_(settings_, pool_, prober_.readiness(), prober_.app_version(),
               {meter_, service_meter_}, instruments_, occupancy_, [this] { app_refused(); }),
      access_log_(settings_.access_log.enabled ? std::optional<proxy::AccessLog>(
                                                     std::in_place, reactor_, settings_.access_log)
                                               : std::nullopt),
      spans_(proxy::make_span_exporter(
          reactor_, settings_.trace,
          {.service = "bellows-queue-proxy", .instance = settings_.pod.text()})),
      server_(reactor_, handler_, server_options(settings_)),
      series_(proxy::list_server_series(registry_, "bellows_queue_proxy", server_, pool_)),
      admin_(io, admin_options(settings_)),
      drainer_(io, clock, {.timeout = settings_.drain_time(), .quiet = settings_.drain_quiet_time},
               {.load = [this] { return drain_load(); },
                .on_begin = [this](DrainCause cause) { drain_began(cause); },
                .on_undo = [this] { drain_undone(); }}),
      unready_log_(clock.now()) {
  if (settings_.drain_port) hooks_.emplace(io, admin_options(settings_));
  if (settings_.liveness) {
    liveness_.emplace(io, clock, app_probe(settings_, *settings_.liveness),
                      liveness_schedule(*settings_.liveness),
                      LivenessCallbacks{.answers = [this] { return handler_.answers(); },
                                        .on_hung = [this] { app_hung(); }});
  }
  server_.set_observer(proxy::observer_of(access_log_ ? &*access_log_ : nullptr, spans_.get()));
  if (!spans_) return;
  for (auto& listing : proxy::list_span_series(registry_, "bellows_queue_proxy", *spans_)) {
    series_.push_back(std::move(listing));
  }
}

Result<void> Service::start() {
  BELLOWS_TRY(const Ports ports, open_ports());
  notifier_.listening(ports);
  const auto text = [](const std::optional<Endpoint>& port) {
    return port ? to_string(*port) : "none";
  };
  sys::log::info("listening",
                 {{"serving", to_string(ports.serving)},
                  {"activator", text(ports.activator)},
                  {"admin", to_string(ports.admin)},
                  {"drain", text(ports.drain)},
                  {"app", to_string(app_probe(settings_, settings_.readiness).app())}});
  if (!settings_.readiness.weakened.empty()) {
    sys::log::warning("readiness is checked by a TCP connect",
                      {{"instead_of", settings_.readiness.weakened}});
  }
  prober_.start();
  if (!settings_.autoscaler.empty()) {
    sender_.start();
    reporter_.start();
  }
  return {};
}

Service::Listen Service::listen_for(proxy::Peer callers) {
  return [this, callers](const Endpoint& at) { return server_.listen(at, callers); };
}

Result<Ports> Service::open_ports() {
  using proxy::Peer;
  const auto callers = settings_.behind_activator ? Peer::kInside : Peer::kOutside;
  Ports ports;
  BELLOWS_TRY(ports.serving,
              open_port("queue-serving-port", settings_.serving_port, listen_for(callers)));
  if (settings_.activator_port) {
    BELLOWS_TRY(ports.activator,
                open_port("activator-port", *settings_.activator_port, listen_for(Peer::kInside)));
  }
  add_admin_pages();
  BELLOWS_TRY(ports.admin, open_port("admin-port", settings_.admin_port,
                                     [this](const Endpoint& at) { return admin_.listen(at); }));
  if (hooks_) {
    drainer_.add_pages(*hooks_);
    BELLOWS_TRY(ports.drain, open_port("drain-port", *settings_.drain_port,
                                       [this](const Endpoint& at) { return hooks_->listen(at); }));
  }
  return ports;
}

Result<Endpoint> Service::open_port(std::string_view setting, std::uint16_t port,
                                    const Listen& listen) const {
  auto endpoint = listen({.host = settings_.listen_host, .port = port, .unix_path = {}});
  if (endpoint) return endpoint;
  return fail(endpoint.error().kind(), std::string(setting),
              to_string(endpoint.error()) + "; want a port of listen-host that is free, or 0");
}

void Service::signalled_by_stranger() {
  notifier_.signalled();
  sys::log::info("signalled by a process that is not the parent",
                 {{"waits_for_the_parent", time_for_parent()}});
}

void Service::app_hung() {
  const Liveness& liveness = liveness_->liveness();
  handler_.set_hang("its app hung and is restarted: " + liveness.reason());
  notifier_.hung(liveness.reason(), clock_.now() - liveness.last_sign());
}

void Service::app_restarted() {
  handler_.set_hang({});
  if (liveness_) liveness_->rest();
  prober_.app_restarted();
  occupancy_.app_restarted();
}

std::optional<metrics::SettingsTaken> Service::take(const metrics::SettingsOrder& order) {
  if (order.revision != settings_.revision || order.pod != settings_.pod) {
    sys::log::warning("ignoring settings for another replica",
                      {{"revision", order.revision.text()}, {"pod", order.pod.text()}});
    return std::nullopt;
  }
  LiveSettings taken = live_settings(settings_, order.settings);
  const auto changes = config::queue_proxy_schema().changes(live_, taken.settings);
  if (!changes.empty()) {
    live_ = std::move(taken.settings);
    handler_.follow(live_);
    server_.read_small_bodies(live_.container_concurrency > 0);
    sender_.keep(live_.window);
    instruments_.settings_changes.add();
    sys::log::info("settings changed", {{"changes", config::changes_text(changes)}});
  }
  warn_of_refused(taken.refused);
  return metrics::SettingsTaken{.revision = settings_.revision,
                                .pod = settings_.pod,
                                .generation = order.generation,
                                .refused = std::move(taken.refused),
                                .own = own_settings(settings_, order.settings)};
}

/// An order comes again with each connection, so only what is new in the answer is logged.
void Service::warn_of_refused(const config::SettingTexts& refused) {
  for (const auto& [name, because] : refused) {
    if (std::ranges::find(refused_, std::pair(name, because)) != refused_.end()) continue;
    sys::log::warning("a setting of the revision is not in effect",
                      {{"setting", name}, {"because", because}});
  }
  refused_ = refused;
}

/// Probes at once, unless probes use another address: they would succeed at once, again and again.
void Service::app_refused() {
  const Endpoint app{.host = settings_.user_host, .port = settings_.user_port, .unix_path = {}};
  if (app_probe(settings_, settings_.readiness).app() == app) prober_.app_refused();
}

http::Awaitable<void> Service::drain_and_stop() {
  const TimePoint began = clock_.now();
  drainer_.begin(DrainCause::kSignal);
  co_await drainer_.wait(DrainScope::kRequests);
  // The app may be stopped while tunnels remain, but not while requests arrive.
  co_await server_.stop(*drainer_.deadline(), [this] { tunnels_left(); });
  co_await drainer_.wait(DrainScope::kAll);
  warn_of_stopped_requests();
  if (spans_) co_await spans_->stop(clock_.now() + kGracePeriod);
  if (hooks_) co_await hooks_->stop(clock_.now() + kGracePeriod);
  co_await drainer_.stop(clock_.now() + kGracePeriod);
  if (!settings_.autoscaler.empty()) {
    reporter_.close_second();
    co_await reporter_.stop(clock_.now() + kGracePeriod);
    co_await sender_.stop(clock_.now() + kGracePeriod);
  }
  co_await prober_.stop(clock_.now() + kGracePeriod);
  if (liveness_) co_await liveness_->stop(clock_.now() + kGracePeriod);
  co_await admin_.stop(clock_.now() + kGracePeriod);
  pool_.clear();
  reactor_.stop();
  sys::log::info("ended", {{"took", clock_.now() - began}});
}

void Service::tunnels_left() {
  notifier_.tunnels_left();
  sys::log::info("only tunnels left", {{"tunnels", server_.counters().open_tunnels}});
}

DrainLoad Service::drain_load() {
  const TimePoint since = clock_.now() - settings_.drain_quiet_time;
  // An app that reports that it is occupied gets the time of a request in flight.
  const std::int64_t claimed = occupancy_.is_claimed(clock_.now()) ? 1 : 0;
  DrainLoad load{.open_requests = server_.counters().in_flight + claimed,
                 .tunnels = server_.counters().open_tunnels,
                 .last_arrival = handler_.last_arrival()};
  if (const auto connected = server_.last_silent_connection(since)) {
    load.last_arrival = std::max(load.last_arrival.value_or(*connected), *connected);
  }
  return load;
}

void Service::drain_began(DrainCause cause) {
  prober_.start_draining();
  handler_.end_refusal();
  if (liveness_) liveness_->rest();
  notifier_.draining();
  sys::log::info("draining", {{"because", cause_text(cause)},
                              {"in_flight", server_.counters().in_flight},
                              {"at_most", settings_.drain_time()}});
  // If callers keep arriving for a while, the next request of an idle connection may be in transit:
  // it gets its response, and then the connection ends.
  server_.start_draining(settings_.drain_quiet_time > Duration::zero()
                             ? proxy::IdleConnections::kKeep
                             : proxy::IdleConnections::kClose);
}

/// Resumes serving: only the app was stopped, and it restarts.
void Service::drain_undone() {
  sys::log::info("drain undone", {{"because", "a hook started it and no signal followed"}});
  server_.end_draining();
  prober_.end_draining();
}

void Service::warn_of_stopped_requests() const {
  const std::uint64_t stopped = server_.counters().stopped;
  if (stopped == 0) return;
  sys::log::warning("requests stopped", {{"requests", stopped},
                                         {"because", "drain-timeout is over"},
                                         {"after", settings_.drain_time()}});
}

void Service::add_admin_pages() {
  add_occupancy_pages(admin_, occupancy_, clock_);
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
  app_usage_.set_ready(readiness.is_ready());
  if (readiness.is_ready()) {
    notifier_.ready(prober_.app_version());
    if (liveness_) liveness_->app_ready();
    handler_.end_refusal();
    sys::log::info("ready");
  } else if (readiness.state() != ReadinessState::kDraining) {
    notifier_.unready(readiness.reason());
    unready_log_.readiness_lost(readiness.reason(), clock_.now());
    warn_unready();
  }
}

void Service::probe_failed() {
  const std::string& reason = prober_.readiness().reason();
  if (!unready_log_.should_log(reason, clock_.now())) return;
  notifier_.unready(reason);  // the owner of the replica reports it if the app is not ready in time
  warn_unready();
}

/// Logs a warning only without a parent: a notified parent decides itself which warnings to log.
void Service::warn_unready() const {
  const auto log = settings_.notify_fd < 0 ? sys::log::warning : sys::log::info;
  log("the app is not ready", {{"because", prober_.readiness().reason()}});
}

}  // namespace bellows::queue_proxy
