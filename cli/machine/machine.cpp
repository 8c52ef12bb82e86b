#include "cli/machine/machine.hpp"

#include <algorithm>
#include <utility>

#include "activator/service/activator_service.hpp"
#include "autoscaler/service/autoscaler_service.hpp"
#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "cli/machine/rise_watch.hpp"
#include "cluster/local/local_cluster.hpp"
#include "cluster/remote/cluster_server.hpp"
#include "http/io/admin_server.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "recommender/service/cluster_source.hpp"
#include "recommender/service/recommender_service.hpp"

namespace bellows::cli {

namespace {

/// Time for the farewells of parts that have nothing left to do.
constexpr Duration kFarewell = std::chrono::seconds(2);

/// The longest that any of the services lets requests go on.
Duration longest_drain(const std::vector<config::Service>& services) {
  Duration longest{};
  for (const config::Service& service : services)
    longest = std::max(longest, service.settings.drain_time());
  return longest;
}

/// How the machine's own processes reach what listens at `endpoint`.
Endpoint from_here(Endpoint endpoint) {
  if (endpoint.host == "0.0.0.0") endpoint.host = "127.0.0.1";
  if (endpoint.host == "::") endpoint.host = "::1";
  return endpoint;
}

std::string stats_url(const Endpoint& admin) {
  return "ws://" + to_string(from_here(admin)) + "/v1/stats";
}

}  // namespace

class Machine::Impl {
 public:
  Impl(http::net::io_context& io, const sys::Clock& clock, Random& random,
       config::RunSettings settings, std::vector<config::Service> services)
      : io_(io),
        clock_(clock),
        random_(random),
        settings_(std::move(settings)),
        drain_time_(longest_drain(services)),
        services_(std::move(services)),
        reactor_(io, clock),
        registry_(kVersion),
        admin_(io) {}

  ~Impl() {
    // Replicas that are left tell of their end, and who listens goes first.
    if (cluster_) cluster_->tell(nullptr);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<MachineAddresses> start() {
    BELLOWS_TRY(cluster_,
                cluster::LocalCluster::create(io_, clock_, random_, services_, cluster_options()));
    return settings_.autoscaler.empty() ? start_whole() : start_cluster_only();
  }

  http::Awaitable<void> stop() {
    const TimePoint deadline = clock_.now() + drain_time_;
    sys::log::info("draining", {{"at_most", drain_time_}});
    if (recommender_) co_await recommender_->stop(clock_.now() + kFarewell);
    if (activator_) {
      activator_->start_draining();
      co_await activator_->stop(deadline);
    }
    if (autoscaler_) co_await autoscaler_->stop(clock_.now() + kFarewell);
    if (offer_) {
      offer_->release_waiters();
      co_await offer_server_->stop(clock_.now() + kFarewell);
    }
    co_await cluster_->shut_down(deadline);
    co_await admin_.stop(clock_.now() + kFarewell);
    reactor_.stop();
    sys::log::info("ended");
  }

  Result<void> configure(const RevisionId& service, const config::RevisionSettings& settings) {
    drain_time_ = std::max(drain_time_, settings.drain_time());
    return cluster_->configure(service, settings);
  }

  void kill_now() { cluster_->kill_now(); }

  const std::vector<activator::ColdStart>& cold_starts() const { return cold_starts_; }

 private:
  cluster::LocalClusterOptions cluster_options() const {
    cluster::LocalClusterOptions options;
    options.autoscaler_url = to_string(settings_.autoscaler);
    if (settings_.log.format == config::LogFormat::kJson) options.log_format = "json";
    return options;
  }

  /// Everything in this process: `bellows run`, and `bellows up` without --autoscaler.
  Result<MachineAddresses> start_whole() {
    autoscaler_ = std::make_unique<autoscaler::AutoscalerService>(io_, *cluster_, clock_, registry_,
                                                                  autoscaler::AutoscalerOptions{});
    activator_ = std::make_unique<activator::ActivatorService>(
        reactor_, *cluster_, autoscaler_->sink(), registry_, activator_options());
    autoscaler_->add_routes(admin_);
    add_recommender();
    BELLOWS_TRY(const Endpoint admin, listen_admin());
    BELLOWS_TRY(const Endpoint listen, activator_->start());
    cluster_->send_stats_to(stats_url(admin));
    autoscaler_->start();
    if (recommender_) recommender_->start();
    sys::log::info(
        "listening",
        {{"address", to_string(listen)}, {"admin", to_string(admin)}, {"services", names()}});
    return MachineAddresses{.listen = listen, .admin = admin};
  }

  /// Only if a service is to be measured. It runs where the replicas are, wherever the autoscaler
  /// does: control groups and /proc do not cross the cluster socket.
  void add_recommender() {
    const bool is_wanted = std::ranges::any_of(services_, [](const config::Service& service) {
      return service.settings.resources.mode != config::ResourcesMode::kOff;
    });
    if (!is_wanted) return;
    recommender_ = std::make_unique<recommender::RecommenderService>(
        io_, clock_, registry_,
        recommender::RecommenderOptions{.policies = settings_.recommender, .loop = settings_.loop});
    auto usage = std::make_unique<recommender::ClusterSource>(clock_, settings_.loop.usage_interval,
                                                              [this] { recommender_->wake(); });
    usage_ = usage.get();
    recommender_->add_source(std::move(usage), Duration::zero());
    cluster_->tell(usage_);
    recommender_->apply_to(
        *cluster_, *cluster_,
        {.scaling = [this](const RevisionId& id) { return scaling_of(id); },
         .memory_use = [this](const RevisionId& id,
                              const PodName& name) { return usage_->memory_use(id, name); }});
    recommender_->add_routes(admin_);
    if (!autoscaler_) return;
    autoscaler_->add_resources([this](const cluster::Revision& service) {
      return recommender_->status_of(service).value_or("");
    });
  }

  recommender::ScalingState scaling_of(const RevisionId& id) {
    const cluster::SnapshotPtr snapshot = cluster_->snapshot();
    const cluster::Revision* service = snapshot->find(id);
    if (service == nullptr) return {};
    recommender::ScalingState state;
    state.is_panic =
        autoscaler_
            ? is_panic(id)
            : rises_.rose_lately(id, {service->requested, service->settings.window}, clock_.now());
    state.is_growing = service->requested > service->count(cluster::ReplicaPhase::kReady);
    return state;
  }

  bool is_panic(const RevisionId& id) const {
    const autoscaler::ScaledRevision* scaled = autoscaler_->registry().find(id);
    return scaled != nullptr && scaled->state.mode() == autoscaler::Mode::kPanic;
  }

  /// Only the replicas, for an autoscaler and an activator that run apart.
  Result<MachineAddresses> start_cluster_only() {
    offer_server_ = std::make_unique<http::ServiceServer>(io_);
    offer_ = std::make_unique<cluster::ClusterServer>(io_, *cluster_, clock_, random_);
    offer_->add_routes(*offer_server_);
    BELLOWS_TRY(const Endpoint socket,
                offer_server_->listen({.host = {}, .port = 0, .unix_path = settings_.socket}));
    add_recommender();
    BELLOWS_TRY(const Endpoint admin, listen_admin());
    if (recommender_) recommender_->start();
    sys::log::info(
        "cluster offered",
        {{"socket", to_string(socket)}, {"admin", to_string(admin)}, {"services", names()}});
    return MachineAddresses{.listen = {}, .admin = admin};
  }

  Result<Endpoint> listen_admin() {
    http::add_admin_pages(admin_, {.readiness = [this] { return readiness(); },
                                   .metrics = [this] { return metrics(); }});
    return admin_.listen(settings_.admin);
  }

  http::Readiness readiness() const {
    const Result<void> serves = activator_ ? activator_->readiness() : Result<void>();
    return {.is_ready = serves.has_value(), .reason = serves ? "" : to_string(serves.error())};
  }

  std::string metrics() {
    if (autoscaler_) autoscaler_->refresh_metrics();
    if (activator_) activator_->refresh_gauges();
    if (recommender_) recommender_->refresh_metrics();
    return registry_.expose();
  }

  activator::ActivatorOptions activator_options() {
    activator::ActivatorOptions options;
    options.listen = settings_.listen;
    options.identity = {.pod = PodName("activator"), .boot = random_.next()};
    if (settings_.access_log.enabled) {
      access_log_ = std::make_unique<proxy::AccessLog>(reactor_, settings_.access_log);
    }
    options.access_log = access_log_.get();
    options.on_cold_start = [this](const activator::ColdStart& start) { remember(start); };
    return options;
  }

  void remember(const activator::ColdStart& start) {
    constexpr std::size_t kKept = 100;
    if (cold_starts_.size() < kKept) cold_starts_.push_back(start);
    sys::log::info("woken", {{"service", start.revision.text()},
                             {"replica", start.replica.text()},
                             {"first_byte_after", start.answered - start.held}});
  }

  std::string names() const {
    std::string text;
    for (const config::Service& service : services_)
      text += (text.empty() ? "" : " ") + service.name.text();
    return text;
  }

  http::net::io_context& io_;
  const sys::Clock& clock_;
  Random& random_;
  const config::RunSettings settings_;
  Duration drain_time_;
  const std::vector<config::Service> services_;
  std::vector<activator::ColdStart> cold_starts_;
  http::Reactor reactor_;
  metrics::prometheus::Registry registry_;
  std::unique_ptr<cluster::LocalCluster> cluster_;
  std::unique_ptr<proxy::AccessLog> access_log_;  // nullptr: off
  std::unique_ptr<autoscaler::AutoscalerService>
      autoscaler_;  // these two: nullptr when they run apart
  std::unique_ptr<activator::ActivatorService> activator_;
  std::unique_ptr<recommender::RecommenderService> recommender_;  // nullptr: nothing is measured
  recommender::ClusterSource* usage_ = nullptr;                   // owned by recommender_
  RiseWatch rises_;                                               // if the autoscaler runs apart
  std::unique_ptr<cluster::ClusterServer> offer_;  // these two: nullptr when everything is here
  std::unique_ptr<http::ServiceServer> offer_server_;
  http::ServiceServer admin_;  // last: its routes use all of the above
};

Machine::Machine(http::net::io_context& io, const sys::Clock& clock, Random& random,
                 config::RunSettings settings, std::vector<config::Service> services)
    : impl_(std::make_unique<Impl>(io, clock, random, std::move(settings), std::move(services))) {}
Machine::~Machine() = default;

Result<MachineAddresses> Machine::start() {
  return impl_->start();
}
http::Awaitable<void> Machine::stop() {
  return impl_->stop();
}
Result<void> Machine::configure(const RevisionId& service,
                                const config::RevisionSettings& settings) {
  return impl_->configure(service, settings);
}
void Machine::kill_now() {
  impl_->kill_now();
}
const std::vector<activator::ColdStart>& Machine::cold_starts() const {
  return impl_->cold_starts();
}

}  // namespace bellows::cli
