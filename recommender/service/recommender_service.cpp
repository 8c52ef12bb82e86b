#include "recommender/service/recommender_service.hpp"

#include <algorithm>
#include <utility>

#include "base/duration_text.hpp"
#include "base/name_list.hpp"
#include "base/sys/log.hpp"
#include "recommender/service/checkpoint_file.hpp"
#include "recommender/service/explain_page.hpp"
#include "recommender/service/recommendation_json.hpp"

namespace bellows::recommender {

namespace log = sys::log;

namespace {

std::shared_ptr<const WorkloadSettings> shared_settings(
    const config::RecommenderSettings& settings) {
  auto shared = std::make_shared<WorkloadSettings>();
  shared->settings = settings;
  return shared;
}

std::vector<config::RecommenderPolicy> policies_of(const RecommenderOptions& options) {
  std::vector<config::RecommenderPolicy> policies = {options.policies.policy};
  for (const auto shadow : shadow_policies(options.loop.shadow_policies, options.policies.policy)) {
    policies.push_back(shadow);
  }
  return policies;
}

}  // namespace

RecommenderService::RecommenderService(http::net::io_context& io, const sys::Clock& clock,
                                       metrics::prometheus::Registry& registry,
                                       RecommenderOptions options)
    : clock_(clock),
      options_(std::move(options)),
      store_(shared_settings(options_.policies), policies_of(options_)),
      instruments_(registry),
      due_(io),
      tasks_(io) {
  for (const std::string& warning : config::warnings_about(options_.policies.spike)) {
    if (options_.policies.policy == config::RecommenderPolicy::kSpike) log::warning(warning);
  }
}

RecommenderService::~RecommenderService() = default;

void RecommenderService::add_source(std::unique_ptr<UsageSource> source, Duration period) {
  sources_.push_back(std::make_unique<SourceReader>(
      std::move(source), period, clock_,
      [this](const std::vector<Observation>& observations) { store_.record(observations); }));
}

void RecommenderService::apply_to(cluster::Cluster& cluster, cluster::SizeWriter& writer,
                                  SizingDependencies dependencies) {
  applier_ = std::make_unique<SizeApplier>(cluster, writer, clock_, std::move(dependencies));
}

void RecommenderService::add_routes(http::ServiceServer& server) {
  using http::Awaitable;
  using http::Request;
  using http::Response;
  server.route("GET", "/v1/recommendations", [this](Request) -> Awaitable<Response> {
    co_return http::json_response(recommendations_json(store_, sources_, clock_.now()));
  });
  add_explain_page(server,
                   [this](const std::string& name, const ContainerName& container,
                          const std::string& policy) { return explain(name, container, policy); });
}

/// Makes the error for a workload or replica name without recommendations.
Error RecommenderService::unknown(const std::string& name) const {
  const std::string culprit = "\"" + name + "\"";
  const auto service = applier_ ? applier_->listed(name) : nullptr;
  if (!service) {
    std::vector<std::string> known;
    for (const auto& [id, workload] : store_.workloads()) known.push_back(id.text());
    return {ErrorKind::kNotFound, culprit,
            "neither a workload nor a replica that was seen; workloads: " + name_list(known)};
  }
  if (service->settings.resources.mode == config::ResourcesMode::kOff) {
    return {ErrorKind::kNotFound, culprit,
            "nothing is measured: its resources-mode is off, want advise, initial or auto"};
  }
  if (service->replicas.empty()) {
    return {ErrorKind::kUnavailable, culprit, "not measured yet; it has no replica"};
  }
  return {ErrorKind::kUnavailable, culprit,
          "not measured yet; it recommends every " + duration_text(options_.loop.interval) +
              ", and sooner after a crash"};
}

Result<std::vector<std::string>> RecommenderService::explain(const std::string& name,
                                                             const ContainerName& container,
                                                             const std::string& policy) {
  const auto listed = applier_ ? applier_->listed(name) : nullptr;
  Workload* workload = store_.find(listed ? listed->id : RevisionId(name));
  if (workload == nullptr) workload = store_.of_replica(PodName(name));
  const bool is_measured = workload != nullptr && !workload->chosen().policy->containers().empty();
  if (!is_measured) return fail(unknown(name));
  return workload->explain(policy, container, clock_.wall_now());
}

/// Applies the settings of services, so that their policies run before the first sample.
void RecommenderService::follow() {
  if (!applier_) return;
  const WallTime now = clock_.wall_now();
  for (const SizedRevision& revision : applier_->sized()) store_.follow(revision, now);
}

ReplicaSize RecommenderService::size_of_first(const config::Service& revision) {
  if (!applier_ || revision.settings.resources.mode == config::ResourcesMode::kOff) return {};
  follow();
  const WallTime now = clock_.wall_now();
  store_.follow({.id = revision.name,
                 .service = revision.service(),
                 .is_serving = false,
                 .resources = revision.settings.resources},
                now);
  Workload& workload = *store_.find(revision.name);
  workload.recommend(now);
  return applier_->size_of_first(revision, workload);
}

void RecommenderService::start() {
  follow();
  restore();
  for (const auto& source : sources_) {
    if (source->period() == Duration::zero()) continue;
    tasks_.spawn("source " + source->name(), [&source] { return source->keep_reading(); });
  }
  tasks_.spawn("recommender tick", [this] { return run_ticks(); });
}

void RecommenderService::request_tick() {
  is_tick_requested_ = true;
  due_.cancel();
}

http::Awaitable<void> RecommenderService::run_ticks() {
  for (;;) {
    if (!is_tick_requested_) {
      boost::system::error_code
          cancelled;  // by request_tick(), or by stop(), which ends the next wait
      due_.expires_after(options_.loop.interval);
      co_await due_.async_wait(http::awaiting(cancelled));
    }
    is_tick_requested_ = false;
    co_await tick();
    // A stopped task ends here even if nothing in the tick had to wait.
    const bool is_running = co_await http::sleep_for(Duration::zero());
    if (!is_running) co_return;
  }
}

http::Awaitable<void> RecommenderService::tick() {
  follow();
  for (const auto& source : sources_) {
    if (source->period() == Duration::zero()) co_await source->read_once();
  }
  const WallTime wall = clock_.wall_now();
  if (applier_) store_.record(applier_->requests(wall));
  store_.recommend(wall);
  if (applier_) co_await applier_->apply(store_);
  const TimePoint now = clock_.now();
  if (!saved_) saved_ = now;
  if (now - *saved_ >= options_.loop.checkpoint_interval) save();
}

std::optional<std::string> RecommenderService::status_of(const cluster::Revision& service) const {
  const config::ResourcesMode mode = service.settings.resources.mode;
  if (mode == config::ResourcesMode::kOff) return std::nullopt;
  return resources_json(mode, store_.find(service.id),
                        applier_ ? applier_->find(service.id) : nullptr);
}

ReplicaSize RecommenderService::size_of_new(const RevisionId& service) const {
  const SizingState* const state = applier_ ? applier_->find(service) : nullptr;
  return state == nullptr ? ReplicaSize() : state->for_new;
}

void RecommenderService::refresh_metrics() {
  instruments_.refresh(store_, sources_, applier_.get());
}

void RecommenderService::restore() {
  const std::string& file = options_.loop.checkpoint_file;
  if (file.empty()) return;
  const auto saved = read_checkpoint(file);
  Result<void> restored;
  if (saved) {
    restored = store_.restore(*saved);
  } else {
    restored = fail(saved.error());
  }
  if (restored) return;
  log::warning("checkpoint file not usable, starting without history",
               {{"error", to_string(restored.error())}, {"kept_as", file + ".broken"}});
  quarantine(file);
}

void RecommenderService::save() {
  saved_ = clock_.now();
  const std::string& file = options_.loop.checkpoint_file;
  if (file.empty()) return;
  const auto written = write_checkpoint(file, store_.save(clock_.wall_now()));
  if (!written && !is_save_broken_) {
    log::warning("checkpoint file not written", {{"error", to_string(written.error())}});
  }
  is_save_broken_ = !written;
}

http::Awaitable<void> RecommenderService::stop(TimePoint deadline) {
  tasks_.stop();
  const auto joined = co_await tasks_.join(deadline);
  if (!joined) log::warning("the recommender did not stop", {{"error", to_string(joined.error())}});
  save();
}

}  // namespace bellows::recommender
