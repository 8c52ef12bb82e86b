#include "activator/service/activator_service.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "json/error_page.hpp"
#include "metrics/meter.hpp"
#include "proxy/io/observers.hpp"

namespace bellows::activator {
namespace {

/// Time for tasks that only have to notice their stop.
constexpr Duration kGracePeriod = std::chrono::milliseconds(500);

proxy::ProxyServerOptions server_options(proxy::ProxyServerOptions options, std::size_t workers,
                                         const config::TlsSettings& tls) {
  options.loops = workers;
  options.hsts = std::chrono::duration_cast<std::chrono::seconds>(tls.hsts);
  return options;
}

proxy::UpstreamOptions upstream_options(proxy::UpstreamOptions options, std::size_t workers) {
  options.loops = workers;
  return options;
}

bool has_only_tunnels(const proxy::ProxyCounters& counters) {
  return counters.open_tunnels > 0 && counters.in_flight == counters.open_tunnels;
}

std::function<bool()> or_always(std::function<bool()> predicate) {
  return predicate ? std::move(predicate) : [] { return true; };
}

}  // namespace

ActivatorService::ActivatorService(http::Reactor& reactor, cluster::Cluster& cluster,
                                   metrics::StatSink& sink, metrics::prometheus::Registry& registry,
                                   ActivatorOptions options)
    : reactor_(reactor),
      cluster_(cluster),
      listen_(std::move(options.listen)),
      tls_(std::move(options.tls)),
      settled_(reactor, lock_),
      notifier_(reactor, cluster, sink, options.identity,
                or_always(std::move(options.is_autoscaler_connected))),
      stats_(sink, lock_, options.identity, reactor.now()),
      prober_(reactor.io()),
      starts_(reactor.io(), prober_,
              [this](const RevisionId& id, const StartingReplica& replica) {
                if (auto* const home = router_.home_of(id)) home->replica_found(replica);
              }),
      random_(options.identity.boot),
      pages_(reactor.io(), lock_),
      dependencies_{reactor,
                    stats_,
                    notifier_,
                    prober_,
                    random_,
                    registry,
                    options.identity.pod,
                    options.probes_starts ? &starts_ : nullptr,
                    lock_,
                    pages_},
      router_(cluster, dependencies_),
      pool_(reactor, upstream_options(options.upstream, options.workers)),
      handler_(router_, pool_, options.workers > 1 ? &settled_ : nullptr, on_cold_start(),
               options.access_log != nullptr || options.spans != nullptr),
      access_log_(options.access_log),
      access_log_dropped_(registry.counter(
          "bellows_activator_access_log_dropped_total",
          "Access log lines dropped because their reader was too slow or has closed")),
      registry_(registry),
      server_options_(server_options(options.server, options.workers, tls_)),
      server_(reactor, handler_, server_options_),
      ports_(cluster, router_, server_, listen_, options.identity.pod),
      tasks_(reactor.io()) {
  server_.set_observer(proxy::observer_of(options.access_log, options.spans));
  if (options.workers > 1) {
    lock_.share();
    settled_.settle_in();
    workers_ = std::make_unique<Workers>(
        WorkerWorld{.home = reactor_,
                    .router = router_,
                    .server = server_,
                    .options = server_options_,
                    .upstream = upstream_options(options.upstream, options.workers),
                    .on_cold_start = on_cold_start(),
                    .access_log = options.access_log,
                    .spans = options.spans},
        options.workers - 1);
  }
  add_series(options.spans);
}

ColdStartObserver ActivatorService::on_cold_start() {
  return [this](const ColdStart& start) { cold_starts_.add(start, reactor_.clock().wall_now()); };
}

void ActivatorService::add_series(proxy::SpanExporter* spans) {
  series_ = proxy::list_server_series(registry_, "bellows_activator", [this] {
    proxy::ServerTotals totals = proxy::totals_of(server_, pool_);
    totals += others(reactor_.now()).totals;
    return totals;
  });
  series_.push_back(registry_.list_counters(
      "bellows_activator_unrouted_total",
      "Requests without a matching service, or for a retired one",
      [this](const metrics::prometheus::AddSeries& add) {
        add({}, static_cast<double>(handler_.unrouted() + others(reactor_.now()).unrouted));
      }));
  series_.push_back(registry_.list_gauges(
      "bellows_activator_connections", "Connections of callers that are open, by worker",
      [this](const metrics::prometheus::AddSeries& add) {
        const std::vector<std::size_t> counts = connections_by_worker();
        for (std::size_t worker = 0; worker < counts.size(); ++worker) {
          add({{"worker", std::to_string(worker)}}, static_cast<double>(counts[worker]));
        }
      }));
  series_.push_back(
      registry_.list_gauges("bellows_activator_revision_ports",
                            "Ports of single revisions that are open, or cannot be opened",
                            [this](const metrics::prometheus::AddSeries& add) {
                              add({{"state", "open"}}, static_cast<double>(ports_.open()));
                              add({{"state", "failed"}}, static_cast<double>(ports_.failed()));
                            }));
  if (spans == nullptr) return;
  for (auto& listing : proxy::list_span_series(registry_, "bellows_activator", *spans)) {
    series_.push_back(std::move(listing));
  }
}

ActivatorService::~ActivatorService() = default;

void ActivatorService::add_routes(http::ServiceServer& server) {
  server.route("GET", "/v1/cold-starts", [this](http::Request) -> http::Awaitable<http::Response> {
    co_return http::json_response(cold_starts_.json());
  });
  static constexpr std::string_view kRequests = "/v1/requests/";
  server.route("GET", std::string(kRequests),
               [this](http::Request request) -> http::Awaitable<http::Response> {
                 if (!request.may_see_detail) co_return details_elsewhere();
                 const std::string id = request.path.substr(kRequests.size());
                 co_return replies_of(id);
               });
}

http::Response ActivatorService::details_elsewhere() {
  http::Response response;
  response.status = 403;
  response.body =
      "Only the control socket has what callers did not get: use `bellows explain --request ID` as "
      "the user that runs Bellows, or set error-detail full.\n";
  return response;
}

http::Response ActivatorService::replies_of(const std::string& id) const {
  std::vector<const proxy::LoggedReply*> found = server_.replies().find(id);
  std::vector<proxy::LoggedReply> of_others;
  if (workers_) of_others = workers_->replies_of(id);
  for (const proxy::LoggedReply& reply : of_others) found.push_back(&reply);
  if (!found.empty()) return http::json_response(proxy::replies_json(found));
  const Error error(ErrorKind::kNotFound, "request \"" + id + "\"",
                    "it is not among the last failed ones of this program");
  return http::json_response(json::error_page(error), 404);
}

Result<Endpoint> ActivatorService::start(std::optional<http::BoundSocket> socket) {
  changes_ = cluster_.subscribe([this](const cluster::Changes& changes) {
    router_.sync(changes);
    ports_.sync(changes);
    router_.destroy_ended();
  });
  BELLOWS_TRY(Endpoint listening, listen(std::move(socket)));
  router_.sync();
  ports_.sync();
  if (workers_) {
    BELLOWS_CHECKED(workers_->start(secure_.get()));
  }
  tasks_.spawn("close seconds", [this] { return close_seconds(); });
  tasks_.spawn("look at pages", [this] { return pages_.keep_looking(); });
  stage_ = Stage::kServing;
  return listening;
}

Result<Endpoint> ActivatorService::listen(std::optional<http::BoundSocket> socket) {
  http::MakeConnection make;
  if (tls_.is_on()) {
    BELLOWS_TRY(secure_, SecurePort::open(tls_, listen_, reactor_.clock()));
    make = secure_->connections(reactor_);
    for (auto& listing : secure_->list_series(registry_, "bellows_activator")) {
      series_.push_back(std::move(listing));
    }
  }
  constexpr proxy::Peer kCallers = proxy::Peer::kOutside;
  BELLOWS_TRY(Endpoint listening,
              socket ? server_.listen(std::move(*socket), kCallers, std::move(make))
                     : server_.listen(listen_, kCallers, std::move(make)));
  if (secure_) secure_->announce(listening);
  BELLOWS_CHECKED(listen_for_redirects(listening.port));
  return listening;
}

Result<void> ActivatorService::listen_for_redirects(std::uint16_t https_port) {
  if (!tls_.redirect_listen) return {};
  RedirectOptions options{
      .listen = *tls_.redirect_listen, .acme_folder = tls_.acme_folder, .server = server_options_};
  redirect_ = std::make_unique<RedirectPort>(reactor_, std::move(options));
  if (tls_.redirect_port) https_port = static_cast<std::uint16_t>(*tls_.redirect_port);
  BELLOWS_TRY(const Endpoint redirecting, redirect_->start(https_port));
  sys::log::info("redirecting to https", {{"address", to_string(redirecting)}});
  return {};
}

Result<void> ActivatorService::reload_certificates() {
  return secure_ ? secure_->reload() : Result<void>();
}

void ActivatorService::start_draining(proxy::IdleConnections idle) {
  stage_ = Stage::kDraining;
  handler_.start_draining();
  server_.start_draining(idle);
  if (workers_) workers_->start_draining(idle);
}

WorkerReport ActivatorService::others(TimePoint since) const {
  return workers_ ? workers_->total(since) : WorkerReport();
}

proxy::ProxyCounters ActivatorService::counters() const {
  proxy::ProxyCounters all = server_.counters();
  if (workers_) all += others(reactor_.now()).totals.counters;
  return all;
}

std::size_t ActivatorService::open_connections() const {
  return server_.connections() + others(reactor_.now()).connections;
}

std::optional<TimePoint> ActivatorService::last_arrival(TimePoint since) const {
  if (ports_.is_in_a_path()) return reactor_.now();
  const WorkerReport others = this->others(since);
  return std::max({server_.last_silent_connection(since), handler_.last_arrival(),
                   others.last_silent_connection, others.last_arrival});
}

Duration ActivatorService::drain_time() const {
  const cluster::RevisionList& listed = cluster_.revisions();
  if (listed.empty()) return kDefaultDrainTime;
  Duration longest = Duration::zero();
  for (const cluster::RevisionPtr& revision : listed) {
    longest = std::max(longest, revision->settings.drain_time());
  }
  return longest;
}

http::Awaitable<void> ActivatorService::stop(TimePoint deadline,
                                             std::function<void()> on_tunnels_left) {
  if (workers_) {
    workers_->begin_stop(deadline);
    if (on_tunnels_left) {
      tasks_.spawn("watch tunnels", [this, told = std::exchange(on_tunnels_left, nullptr)] {
        return watch_tunnels(told);
      });
    }
  }
  co_await server_.stop(deadline, std::move(on_tunnels_left));
  if (workers_) co_await workers_->ended(deadline);
  if (redirect_) co_await redirect_->stop(deadline);
  const TimePoint end = reactor_.now() + kGracePeriod;
  tasks_.stop();
  const Result<void> joined = co_await tasks_.join(end);
  if (!joined) sys::log::warning("task still running", {{"error", to_string(joined.error())}});
  co_await notifier_.stop(end);
  co_await starts_.stop(end);
  co_await prober_.stop(end);
  changes_.reset();
  pool_.clear();
}

/// Watches tunnels as ProxyServer::stop() does, for all workers, because a request may still be on
/// its way to one of them.
http::Awaitable<void> ActivatorService::watch_tunnels(std::function<void()> on_tunnels_left) {
  constexpr Duration kLookInterval = std::chrono::milliseconds(20);
  std::uint64_t requests = counters().requests;
  TimePoint since = reactor_.now();
  while (reactor_.now() < since + kGracePeriod) {
    const bool has_slept = co_await http::sleep_for(kLookInterval);
    if (!has_slept) co_return;
    const proxy::ProxyCounters seen = counters();
    if (!has_only_tunnels(seen) || seen.requests != requests) since = reactor_.now();
    requests = seen.requests;
  }
  on_tunnels_left();
}

Result<void> ActivatorService::readiness() const {
  if (stage_ == Stage::kDraining) return fail(ErrorKind::kUnavailable, "activator", "is draining");
  if (stage_ == Stage::kNew) return fail(ErrorKind::kUnavailable, "activator", "is starting");
  if (!cluster_.ready()) {
    return fail(ErrorKind::kUnavailable, "activator",
                "the list of services has not arrived from the cluster yet");
  }
  return {};
}

void ActivatorService::refresh_gauges() {
  if (access_log_ != nullptr) {
    access_log_dropped_.add(access_log_->dropped() - access_log_dropped_.value());
  }
  const WorkerLock::AtHome home(router_.lock());
  router_.for_each([](RevisionHome& revision) { revision.refresh_gauges(); });
}

bool ActivatorService::has_requests(const RevisionId& revision) const {
  const RevisionHome* const home = router_.home_of(revision);
  return home != nullptr && home->handle().has_pending_requests();
}

std::optional<Served> ActivatorService::served(const RevisionId& revision, Duration slow) {
  RevisionHome* const home = router_.home_of(revision);
  if (home == nullptr) return std::nullopt;
  return home->handle().served(slow);
}

RecentSum ActivatorService::recent(std::span<const RevisionId> revisions) const {
  RecentSum sum;
  const TimePoint now = reactor_.now();
  for (const RevisionId& revision : revisions) {
    if (const RevisionHome* const home = router_.home_of(revision))
      home->handle().add_recent(sum, now);
  }
  return sum;
}

std::vector<RevisionStatus> ActivatorService::status() const {
  std::vector<RevisionStatus> all;
  const WorkerLock::Hold hold(router_.lock());
  router_.for_each([&](const RevisionHome& revision) BELLOWS_REQUIRES_SHARED(kWorkerData) {
    const RevisionHandle& handle = revision.handle();
    all.push_back({handle.revision(), handle.waiting(), handle.in_flight()});
  });
  return all;
}

std::vector<std::size_t> ActivatorService::connections_by_worker() const {
  std::vector<std::size_t> counts{server_.connections()};
  if (workers_) workers_->append_connections(counts);
  return counts;
}

void ActivatorService::tick() {
  if (workers_) workers_->tick();
}

http::Awaitable<void> ActivatorService::close_seconds() {
  TimePoint end = reactor_.now();
  for (;;) {
    end = metrics::next_second_end(end, reactor_.now());
    const bool has_slept = co_await http::sleep_for(end - reactor_.now());
    if (!has_slept) co_return;
    stats_.close_second(reactor_.now());
    if (secure_) secure_->look();
    router_.destroy_ended();
    ports_.retry();
  }
}

}  // namespace bellows::activator
