#include "autoscaler/service/autoscaler_service.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/service/state_changes.hpp"
#include "base/sys/log.hpp"

namespace bellows::autoscaler {
namespace {

namespace log = sys::log;

constexpr Duration kTickPeriod = std::chrono::milliseconds(100);
constexpr Duration kLearnedSavePeriod = std::chrono::minutes(5);
constexpr std::string_view kLearnedSuffix = ".slow";
constexpr Duration kDayLookPeriod = std::chrono::seconds(1);
constexpr Duration kDaySaveTimeout = std::chrono::seconds(10);

SavedStates read_or_warn(const std::string& path) {
  if (path.empty()) return {};
  auto saved = read_saved_states(path);
  if (!saved) {
    log::warning("starting without the saved state", {{"error", to_string(saved.error())}});
    return {};
  }
  if (saved->damage) {
    log::warning("starting with an earlier saved state", {{"error", to_string(*saved->damage)}});
  }
  return std::move(saved->states);
}

/// True if a successor that reads the state would decide differently.
bool matters_to_successor(const Memory& before, const Memory& after) {
  return before.replicas != after.replicas || before.panic != after.panic ||
         before.panic_max != after.panic_max || before.activity != after.activity ||
         before.is_initialised != after.is_initialised ||
         before.known_back_to.has_value() != after.known_back_to.has_value() ||
         before.load_unknown_since.has_value() != after.load_unknown_since.has_value() ||
         before.proxying_since.has_value() != after.proxying_since.has_value();
}

void log_mode_change(const ScaledRevision& revision, const Decision& decision) {
  const std::string event = decision.mode == Mode::kPanic ? "panic began" : "panic ended";
  log::info(event, {{"service", revision.observed.listed().service_id().text()},
                    {"revision", revision.id().text()},
                    {"concurrency", decision.seen.panic.total},
                    {"target", decision.spec.target},
                    {"ratio", decision.panic_ratio}});
}

}  // namespace

AutoscalerService::AutoscalerService(http::net::io_context& io, cluster::Cluster& cluster,
                                     const sys::Clock& clock,
                                     metrics::prometheus::Registry& metrics,
                                     AutoscalerOptions options)
    : io_(io),
      cluster_(cluster),
      clock_(clock),
      options_(std::move(options)),
      tasks_(io),
      day_saves_(io),
      applier_(tasks_, cluster, clock),
      activators_([this] { follow_activators(); }),
      paths_(cluster, activators_),
      settings_(cluster, clock),
      reporter_(cluster, applier_, settings_, clock),
      registry_(clock, options_.dead_source_after, read_or_warn(options_.state_file), *this),
      webhooks_(tasks_, clock),
      state_log_(options_.state_file, clock),
      day_(options_.day_file, clock),
      instruments_(metrics, registry_),
      guard_(registry_, cluster, clock, options_.dead_source_after),
      endpoint_(guard_, cluster, activators_, settings_),
      page_(registry_, applier_, cluster, guard_, clock),
      last_learned_save_(clock.now()) {
  read_learned();
  registry_.use(webhooks_);
  registry_.keep_days(options_.journal_memory);
  if (options_.lets_sleep) registry_.let_sleep();
  if (auto days = day_.read()) registry_.restore_days(std::move(*days));
}

AutoscalerService::~AutoscalerService() = default;

void AutoscalerService::add_routes(http::ServiceServer& server) {
  endpoint_.add_routes(server);
  page_.add_routes(server);
}

void AutoscalerService::start() {
  subscription_ =
      cluster_.subscribe([this](const cluster::Changes& changes) { follow_cluster(changes); });
  follow_cluster({});
  tasks_.spawn("autoscaler tick", [this] { return run_ticks(); });
  day_saves_.spawn("saves of the day", [this] { return run_day_saves(); });
}

void AutoscalerService::follow_cluster(const cluster::Changes& changes) {
  if (!cluster_.ready()) return;
  if (changes.activators || !has_list_) follow_activators();
  settings_.follow(changes, !has_list_);
  if (std::exchange(has_list_, true)) {
    registry_.follow(cluster_.revisions(), changes);
  } else {
    registry_.follow(cluster_.revisions());
  }
  guard_.list_changed();
}

/// Removes a deleted activator from every path at once.
void AutoscalerService::follow_activators() {
  paths_.activators_changed();
  for (const auto& [id, revision] : registry_.revisions()) {
    if (const auto last = revision->journal.last()) paths_.decided(id, *last);
  }
}

http::Awaitable<void> AutoscalerService::run_ticks() {
  bool has_slept = true;
  while (has_slept) {
    has_slept = co_await http::sleep_for(kTickPeriod);
    if (has_slept) tick();
  }
}

void AutoscalerService::tick() {
  registry_.tick();
  webhooks_.tick(registry_);
  applier_.retry_due();
  state_log_.tick(registry_.revisions());
  save_learned_if_due();
}

void AutoscalerService::decided(ScaledRevision& revision, const Decision& decision,
                                const Memory& before) {
  if (before.mode() != decision.mode) log_mode_change(revision, decision);
  const bool is_news = matters_to_successor(before, decision.after);
  if (decision.seen.is_retired || decision.seen.is_paused) {
    applier_.drop(revision.id());
  } else {
    order(revision, decision);
  }
  paths_.decided(revision.id(), decision);
  webhooks_.decided(revision);
  reporter_.decided(revision, decision, is_news);
  state_log_.decided(revision, decision, is_news);
}

void AutoscalerService::order(const ScaledRevision& revision, const Decision& decision) {
  const PodCount requested = decision.seen.requested;
  if (applier_.is_settled(revision.id(), requested, decision.replicas))
    return;  // nearly always true
  cluster::ScaleOrder order{
      .desired = decision.replicas, .drain_first = {}, .reason = explain::brief(decision)};
  if (decision.replicas < requested) {
    order.drain_first = revision.observed.idle_first();
    order.keep = kept_replicas(revision.observed, revision.spec);
  }
  applier_.apply(revision.id(), requested, std::move(order));
}

void AutoscalerService::removed(const RevisionId& revision) {
  applier_.forget(revision);
  paths_.forget(revision);
  webhooks_.forget(revision);
  state_log_.removed(revision);
}

void AutoscalerService::read_learned() {
  if (options_.state_file.empty()) return;
  auto states = read_slow_file(options_.state_file + std::string(kLearnedSuffix), clock_.now(),
                               clock_.wall_now());
  if (states) return registry_.resume_slow(std::move(states).value());
  log::warning("learned targets discarded, learning restarts",
               {{"error", to_string(states.error())}});
}

/// The first save is at once: then what a predecessor left no longer says how it ended.
http::Awaitable<void> AutoscalerService::run_day_saves() {
  bool has_slept = true;
  while (has_slept) {
    if (has_list_ && day_.is_due(registry_)) co_await day_.save(io_, registry_);
    has_slept = co_await http::sleep_for(has_list_ ? kDayLookPeriod : kTickPeriod);
  }
}

http::Awaitable<void> AutoscalerService::save_day() {
  day_saves_.stop();
  (void)co_await day_saves_.join(clock_.now() + kDaySaveTimeout);
  if (has_list_) co_await day_.finish(io_, registry_);
}

void AutoscalerService::save_learned_if_due() {
  const TimePoint now = clock_.now();
  if (options_.state_file.empty() || now - last_learned_save_ < kLearnedSavePeriod) return;
  last_learned_save_ = now;
  save_learned();
}

void AutoscalerService::save_learned() {
  if (options_.state_file.empty()) return;
  const auto written = write_slow_file(options_.state_file + std::string(kLearnedSuffix),
                                       registry_.slow_states(), clock_.now(), clock_.wall_now());
  if (!written && !is_learned_save_broken_) {
    log::warning("learned targets cannot be saved", {{"error", to_string(written.error())}});
  }
  is_learned_save_broken_ = !written;
}

void AutoscalerService::refresh_metrics() {
  instruments_.refresh(registry_.counters(), applier_, endpoint_.receiver(), guard_,
                       settings_.orders(), cluster_.takes_orders());
}

http::Awaitable<void> AutoscalerService::stop(TimePoint deadline) {
  subscription_.reset();
  tasks_.stop();
  day_saves_.stop();
  const auto joined = co_await tasks_.join(deadline);
  if (!joined) log::warning("the autoscaler did not stop", {{"error", to_string(joined.error())}});
  (void)co_await day_saves_.join(deadline);
  // Before the first list no revision is known, so the predecessor's state must stay.
  if (!cluster_.ready()) co_return;
  state_log_.finish(registry_.revisions());
  save_learned();
}

}  // namespace bellows::autoscaler
