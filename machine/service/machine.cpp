#include "machine/service/machine.hpp"

#include <algorithm>
#include <utility>

#include "activator/service/activator_service.hpp"
#include "autoscaler/service/autoscaler_service.hpp"
#include "base/sys/cores.hpp"
#include "base/sys/entropy.hpp"
#include "base/sys/file.hpp"
#include "base/sys/free_memory.hpp"
#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "cluster/core/app_line.hpp"
#include "cluster/local/listeners.hpp"
#include "cluster/local/local_cluster.hpp"
#include "cluster/local/machine_size.hpp"
#include "config/revision_schema.hpp"
#include "config/sources/environment.hpp"
#include "config/worker_count.hpp"
#include "http/io/admin_server.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "machine/service/deployer.hpp"
#include "machine/service/listening_error.hpp"
#include "machine/service/room_keeper.hpp"
#include "machine/service/service_api.hpp"
#include "machine/service/state_file.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "proxy/core/drain.hpp"
#include "proxy/io/descriptors.hpp"
#include "proxy/io/server_options.hpp"
#include "proxy/io/span_exporter.hpp"
#include "recommender/service/cluster_source.hpp"
#include "recommender/service/recommender_service.hpp"
#include "web/pages.hpp"

namespace bellows::machine {

namespace {

/// The time for components to stop that have no requests left.
constexpr Duration kStopTimeout = std::chrono::seconds(2);
/// The time for all of them together, and for killed processes to end.
constexpr Duration kStopMargin = std::chrono::seconds(15);

/// The maximum time that a stop waits for further requests on kept connections, and the time
/// without a request after which it continues.
constexpr Duration kLingerTime = std::chrono::seconds(1);
constexpr Duration kLingerQuiet = std::chrono::milliseconds(250);
constexpr Duration kLingerPollInterval = std::chrono::milliseconds(20);

/// Returns the address by which processes of this machine reach a listener at `endpoint`.
Endpoint loopback_address(Endpoint endpoint) {
  if (endpoint.host == "0.0.0.0") endpoint.host = "127.0.0.1";
  if (endpoint.host == "::") endpoint.host = "::1";
  return endpoint;
}

/// Limits connections to a share of the descriptors, so that neither port takes those of the other.
/// The rest holds the streams of as many replicas as it has room for.
http::ServiceServerOptions admin_options(const config::RunSettings& settings,
                                         const std::string& page_key) {
  http::ServiceServerOptions options;
  options.access->key = page_key;
  options.access->key_paths = {"/v1/control/services/", "/v1/revisions/"};
  options.max_connections = proxy::own_descriptors();
  options.access->hosts = http::read_hosts(settings.admin_hosts);
  if (settings.error_detail == config::ErrorDetail::kFull) {
    options.access->details = http::AccessRules::Details::kToAll;
  }
  options.withhold = cluster::withhold_app_lines;
  return options;
}

/// Two names of one state file are one file, with one lock.
config::RunSettings with_resolved_paths(config::RunSettings settings) {
  if (!settings.state_file.empty()) {
    settings.state_file = sys::resolved_path(settings.state_file);
  }
  return settings;
}

std::string stats_url(const Endpoint& admin) {
  return "ws://" + to_string(loopback_address(admin)) + "/v1/stats";
}

/// Returns what a listener has opened; an error names the setting, and says what helps.
template <class T>
Result<T> listening(Result<T> opened, std::string_view setting) {
  if (opened) return opened;
  return fail(listening_error(std::move(opened).error(), setting));
}

/// Warns of requests that may wait longer than they may take.
void log_time_limits(const Records& records) {
  for (const auto& [name, record] : records) {
    if (record.is_removed()) continue;
    const std::string note = config::queue_age_note(*record.current()->content->settings);
    if (note.empty()) continue;
    sys::log::warning("time limits do not fit", {{"service", name.text()}, {"because", note}});
  }
}

/// Says what follows from a fixed port, and which process has it. The owner may end before the
/// first start, and a stop command may end it, so this is no error yet.
void log_fixed_ports(const Records& records) {
  for (const auto& [name, record] : records) {
    if (record.is_removed()) continue;
    const std::uint16_t port = record.current()->content->settings->port;
    if (port == 0) continue;
    sys::log::info("port is fixed", {{"service", name.text()},
                                     {"port", port},
                                     {"hint",
                                      "so max-scale is 1, and a deploy ends the old app "
                                      "before it starts the new one"}});
    if (const auto owner = cluster::port_owner(port)) {
      sys::log::warning("port is taken",
                        {{"service", name.text()}, {"port", port}, {"by", *owner}});
    }
  }
}

}  // namespace

Machine::Machine(http::net::io_context& io, const sys::Clock& clock, Random& random,
                 config::RunSettings settings, std::vector<config::Service> services,
                 ReadSettings read_settings)
    : io_(io),
      clock_(clock),
      random_(random),
      settings_(with_resolved_paths(std::move(settings))),
      services_(std::move(services)),
      read_settings_(std::move(read_settings)),
      page_key_(sys::random_token()),
      reactor_(io, clock),
      registry_(kVersion),
      admin_(io, admin_options(settings_, page_key_)) {}

Machine::~Machine() {
  // Remaining replicas report their end, but the listener is destroyed before them.
  if (cluster_) cluster_->set_resource_listener(nullptr);
}

Result<MachineAddresses> Machine::start(MachineSockets sockets) {
  sockets_ = std::move(sockets);
  BELLOWS_CHECKED(config::check_addresses(settings_));
  BELLOWS_CHECKED(create_cluster());
  auto started = start_parts();
  sys::give_back_free_memory();
  return started;
}

/// Lists the revisions of a state file, or the first one of each service without such a file.
Result<void> Machine::create_cluster() {
  Records saved;
  if (!settings_.state_file.empty()) {
    BELLOWS_TRY(state_lock_, StateLock::take(settings_.state_file));
    BELLOWS_TRY(saved, read_state_file(settings_.state_file));
  }
  StartPlan plan = at_start(std::move(saved), std::exchange(services_, {}));
  BELLOWS_CHECKED(check_routes(plan.records));
  std::vector<config::ServiceRevision> revisions;
  config::FixedPorts ports(settings_);
  for (const auto& [name, record] : plan.records) {
    for (config::ServiceRevision& revision : revisions_to_run(record)) {
      BELLOWS_CHECKED(ports.take(name, revision.settings->port));
      is_measuring_ |= revision.settings->resources.mode != config::ResourcesMode::kOff;
      revisions.push_back(std::move(revision));
    }
  }
  BELLOWS_TRY(cluster_, cluster::LocalCluster::create(io_, clock_, random_, std::move(revisions),
                                                      cluster_options()));
  for (const std::string& note : plan.notes) {
    sys::log::warning("service differs", {{"how", note}, {"state_file", settings_.state_file}});
  }
  log_fixed_ports(plan.records);
  log_time_limits(plan.records);
  records_ = std::move(plan.records);
  return {};
}

/// Accepts changes. Everything that they need exists by then.
void Machine::add_deployer() {
  deployer_ = std::make_unique<Deployer>(
      io_, clock_, *cluster_, *cluster_, std::move(records_),
      DeployerOptions{
          .state_file = settings_.state_file,
          .keep_revisions = settings_.keep_revisions,
          .has_requests = [this](const RevisionId& id) { return activator_->has_requests(id); },
          .demand = [this](const RevisionId& id) { return demand(id); },
          .served = [this](const RevisionId& id, Duration slow) { return served(id, slow); },
          .size_of_first = [this](const config::Service& of) { return size_of_first(of); },
          .ports = config::FixedPorts(settings_),
          .is_measuring = recommender_ != nullptr});
  add_service_routes(io_, admin_, *deployer_, read_settings_);
  autoscaler_->add_changes([this] { return deployer_->page().under_way(); });
}

ReplicaSize Machine::size_of_first(const config::Service& revision) const {
  return recommender_ ? recommender_->size_of_first(revision) : ReplicaSize();
}

/// Known where the load alone decides, and the number of replicas follows it at once.
std::optional<double> Machine::demand(const RevisionId& id) const {
  const autoscaler::ScaledRevision* const scaled = autoscaler_->registry().find(id);
  if (scaled == nullptr || scaled->state.panic || !scaled->spec.policies.is_plain() ||
      scaled->spec.scale_down_delay > Duration::zero()) {
    return std::nullopt;
  }
  return scaled->demand;
}

/// Returns the counters of the activator.
Served Machine::served(const RevisionId& revision, Duration slow) const {
  const auto counted = activator_->served(revision, slow);
  if (!counted) return {};
  return {counted->requests(), counted->errors(), counted->slow()};
}

/// Returns the longest time that any of the services gives to requests in flight.
Duration Machine::drain_time() const {
  Duration longest{};
  for (const cluster::RevisionPtr& revision : cluster_->revisions())
    longest = std::max(longest, revision->settings.drain_time());
  return longest;
}

Duration Machine::stop_time() const {
  return drain_time() + settings_.stop_timeout + kLingerTime + kStopMargin;
}

http::Awaitable<void> Machine::stop() {
  const TimePoint deadline = clock_.now() + drain_time();
  sys::log::info("draining", {{"waits_for", requests_in_flight()},
                              {"at_most", drain_time()},
                              {"hint", "a second signal (Ctrl-C) ends it at once"}});
  cluster_->expect_shut_down();
  co_await stop_deciding();
  co_await autoscaler_->save_day();
  state_lock_ = StateLock();  // nothing writes it any more, and a new Bellows may begin beside us
  co_await linger();
  // Tunnels end when their apps get SIGTERM.
  co_await activator_->stop(deadline, [this] { cluster_->begin_shut_down(); });
  if (spans_) co_await spans_->stop(clock_.now() + kStopTimeout);
  if (autoscaler_) co_await autoscaler_->stop(clock_.now() + kStopTimeout);
  co_await cluster_->shut_down(deadline + settings_.stop_timeout);
  co_await stop_listening();
  sys::log::info("stopped");
}

http::Awaitable<void> Machine::abort() {
  co_await stop_deciding();
  co_await activator_->stop(clock_.now(), nullptr);
  if (spans_) co_await spans_->stop(clock_.now());
  co_await autoscaler_->stop(clock_.now() + kStopTimeout);
  co_await stop_listening();
}

http::Awaitable<void> Machine::stop_deciding() {
  co_await deployer_->stop(clock_.now() + kStopTimeout);
  if (recommender_) co_await recommender_->stop(clock_.now() + kStopTimeout);
}

http::Awaitable<void> Machine::stop_listening() {
  co_await admin_.stop(clock_.now() + kStopTimeout);
  reactor_.stop();
}

/// Returns "3 requests of shop, 1 request of web".
std::string Machine::requests_in_flight() const {
  std::string text;
  for (const activator::RevisionStatus& service : activator_->status()) {
    const std::int64_t count = service.waiting + service.in_flight;
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) +
            (count == 1 ? " request of " : " requests of ") + service.revision.text();
  }
  return text.empty() ? "no request" : text;
}

/// A caller that keeps its connection learns from the next response that it closes. An immediate
/// close would cut off a request in transit, which gets no response.
http::Awaitable<void> Machine::linger() {
  proxy::Drain drain({.timeout = kLingerTime, .quiet = kLingerQuiet});
  drain.start(proxy::DrainCause::kSignal, clock_.now());
  activator_->start_draining(proxy::IdleConnections::kKeep);
  while (activator_->open_connections() > 0 &&
         drain.state(0, clock_.now()) == proxy::DrainState::kDraining) {
    co_await http::sleep_for(kLingerPollInterval);
    const auto arrival = activator_->last_arrival(clock_.now() - kLingerQuiet);
    if (arrival) drain.note_arrival(*arrival);
  }
}

Result<void> Machine::reload_certificates() {
  return activator_->reload_certificates();
}

void Machine::kill_now() {
  cluster_->kill_now();
}

cluster::LocalClusterOptions Machine::cluster_options() const {
  cluster::LocalClusterOptions options;
  if (settings_.log.format == config::LogFormat::kJson) options.log_format = "json";
  options.error_detail = settings_.error_detail;
  options.server = settings_.server;
  options.trace = settings_.trace;
  options.stop_timeout = settings_.stop_timeout;
  return options;
}

Result<MachineAddresses> Machine::start_parts() {
  autoscaler::AutoscalerOptions options;
  options.journal_memory = settings_.journal_memory;
  options.lets_sleep = true;
  if (!settings_.state_file.empty()) options.day_file = settings_.state_file + ".day";
  autoscaler_ = std::make_unique<autoscaler::AutoscalerService>(io_, *cluster_, clock_, registry_,
                                                                std::move(options));
  activator_ = std::make_unique<activator::ActivatorService>(
      reactor_, *cluster_, autoscaler_->sink(), registry_, activator_options());
  web::add_pages(admin_);
  autoscaler_->add_routes(admin_);
  activator_->add_routes(admin_);
  autoscaler_->add_traffic([this](std::span<const RevisionId> revisions) {
    return activator_->recent(revisions).json();
  });
  add_control_pages();
  add_recommender();
  keep_room();
  add_deployer();
  BELLOWS_TRY(const Endpoint admin, listen_admin());
  BELLOWS_CHECKED(listen_control(admin));
  BELLOWS_TRY(const Endpoint listen, start_activator());
  cluster_->send_stats_to(stats_url(admin));
  autoscaler_->start();
  if (recommender_) recommender_->start();
  sys::log::info("listening", {{"address", to_string(listen)},
                               {"admin", to_string(admin)},
                               {"page", "http://" + to_string(loopback_address(admin)) + "/"},
                               {"services", service_names()}});
  return MachineAddresses{.listen = listen, .admin = admin};
}

void Machine::add_control_pages() {
  control_pages_ = std::make_unique<ControlPages>(*cluster_, *autoscaler_, clock_,
                                                  std::move(controls_), page_key_);
  control_pages_->add_routes(admin_, [this] { return drain_time(); });
  control_.add_route(admin_);
}

Result<void> Machine::listen_control(const Endpoint& admin) {
  return listening(control_.listen(admin_, admin,
                                   {.path = settings_.control_socket,
                                    .runtime_folder = config::runtime_folder()}),
                   "control-socket");
}

/// Adds the recommender if at least one service is measured.
void Machine::add_recommender() {
  if (!is_measuring_) return;
  config::RecommenderSettings policies = settings_.recommender;
  policies.use_minimum_of_processes();
  recommender_ = std::make_unique<recommender::RecommenderService>(
      io_, clock_, registry_,
      recommender::RecommenderOptions{.policies = std::move(policies), .loop = settings_.loop});
  auto usage = std::make_unique<recommender::ClusterSource>(
      clock_, settings_.loop.usage_interval, [this] { recommender_->request_tick(); });
  usage_ = usage.get();
  recommender_->add_source(std::move(usage), Duration::zero());
  cluster_->set_resource_listener(usage_);
  recommender_->apply_to(
      *cluster_, *cluster_,
      {.scaling = [this](const RevisionId& id) { return scaling_of(id); },
       .memory_use = [this](const RevisionId& id,
                            const PodName& name) { return usage_->memory_use(id, name); }});
  recommender_->add_routes(admin_);
  autoscaler_->add_resources([this](const cluster::Revision& service) {
    return recommender_->status_of(service).value_or("");
  });
}

/// Measures the machine only if the settings leave its size open.
void Machine::keep_room() {
  ReplicaSize has;
  if (const auto machine = cluster::this_machine()) {
    has = {.cpu = machine->cpu, .memory = machine->memory, .memory_limit = std::nullopt};
  } else if (!settings_.machine_cpu || !settings_.machine_memory) {
    sys::log::warning("the size of the machine is unknown; set machine-cpu and machine-memory",
                      {{"error", to_string(machine.error())}});
  }
  const auto next_size = [this](const RevisionId& id) {
    return recommender_ ? recommender_->size_of_new(id) : ReplicaSize();
  };
  MachineCapacity capacity = capacity_of(settings_.machine_cpu, settings_.machine_memory, has);
  room_ = std::make_unique<RoomKeeper>(autoscaler_->registry(), std::move(capacity), next_size,
                                       registry_);
  autoscaler_->use(*room_, [this] { return room_->status(clock_.now()); });
}

recommender::ScalingState Machine::scaling_of(const RevisionId& id) {
  const cluster::RevisionPtr service = cluster_->revisions().find(id);
  if (service == nullptr) return {};
  recommender::ScalingState state;
  state.is_panic = is_panic(id);
  state.is_growing = service->requested > service->count(cluster::ReplicaPhase::kReady);
  return state;
}

bool Machine::is_panic(const RevisionId& id) const {
  const autoscaler::ScaledRevision* scaled = autoscaler_->registry().find(id);
  return scaled != nullptr && scaled->state.mode() == autoscaler::Mode::kPanic;
}

Result<Endpoint> Machine::listen_admin() {
  http::add_admin_pages(admin_, {.readiness = [this] { return readiness(); },
                                 .metrics = [this] { return metrics_page(); }});
  if (!sockets_.admin) return listening(admin_.listen(settings_.admin), "admin");
  return admin_.listen(*std::exchange(sockets_.admin, std::nullopt));
}

Result<Endpoint> Machine::start_activator() {
  const bool is_default = settings_.listen == config::RunSettings().listen;
  if (sockets_.listen && !is_default && sockets_.listen->endpoint != settings_.listen) {
    sys::log::warning("the socket that the service manager passed is used instead of `listen`",
                      {{"socket", to_string(sockets_.listen->endpoint)},
                       {"listen", to_string(settings_.listen)}});
  }
  auto started = activator_->start(std::exchange(sockets_.listen, std::nullopt));
  const auto& redirects = settings_.tls.redirect_listen;
  const bool is_of_redirects =
      !started && redirects && started.error().culprit() == to_string(*redirects);
  return listening(std::move(started), is_of_redirects ? "redirect-listen" : "listen");
}

http::Readiness Machine::readiness() const {
  const Result<void> serves = activator_->readiness();
  return {.is_ready = serves.has_value(), .reason = serves ? "" : to_string(serves.error())};
}

std::string Machine::metrics_page() {
  autoscaler_->refresh_metrics();
  activator_->refresh_gauges();
  if (recommender_) recommender_->refresh_metrics();
  return registry_.expose();
}

activator::ActivatorOptions Machine::activator_options() {
  activator::ActivatorOptions options;
  options.listen = settings_.listen;
  options.tls = settings_.tls;
  options.workers = config::worker_count(settings_.workers, sys::usable_cores());
  options.identity = {.pod = PodName("activator"), .boot = random_.next()};
  if (settings_.access_log.enabled) {
    access_log_ = std::make_unique<proxy::AccessLog>(reactor_, settings_.access_log);
  }
  options.access_log = access_log_.get();
  spans_ = proxy::make_span_exporter(reactor_, settings_.trace,
                                     {.service = "bellows-activator", .instance = "activator"});
  options.spans = spans_.get();
  options.server = proxy::server_options(settings_.server, settings_.trace);
  options.server.error_detail = settings_.error_detail;
  options.server.reads_small_bodies = true;  // requests wait for slots of replicas
  return options;
}

const std::deque<activator::ColdStart>& Machine::cold_starts() const {
  return activator_->cold_starts().kept();
}

std::string Machine::service_names() const {
  std::string text;
  for (const auto& [name, service] : deployer_->store().records()) {
    if (!service.is_removed()) text += (text.empty() ? "" : " ") + name.text();
  }
  return text;
}

}  // namespace bellows::machine
