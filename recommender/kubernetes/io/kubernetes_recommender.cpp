#include "recommender/kubernetes/io/kubernetes_recommender.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>

#include "base/sys/log.hpp"
#include "kubernetes/core/custom_object.hpp"
#include "kubernetes/core/pod_metrics.hpp"
#include "kubernetes/io/discovery.hpp"
#include "kubernetes/io/list_reader.hpp"
#include "recommender/service/explain_page.hpp"

namespace bellows::recommender {

namespace {

namespace log = sys::log;

constexpr Duration kLook = std::chrono::milliseconds(100);
constexpr Duration kRetry = std::chrono::seconds(1);
/// What 100,000 pods of three containers have.
constexpr std::size_t kMostMetrics = std::size_t{128} * 1024 * 1024;
constexpr std::string_view kNoMetrics =
    "the API server has no metrics.k8s.io/v1beta1 (metrics-server)";

ClusterOptions cluster_options(const config::RecommenderProgramSettings& settings,
                               const sys::Clock& clock) {
  return {.policies = settings.policies,
          .shadow_policies = settings.loop.shadow_policies,
          .others = settings.others,
          .since = clock.wall_now()};
}

}  // namespace

KubernetesRecommender::KubernetesRecommender(http::net::io_context& io, const sys::Clock& clock,
                                             kubernetes::ApiClient& client, Random& random,
                                             const config::RecommenderProgramSettings& settings)
    : clock_(clock),
      client_(client),
      random_(random),
      settings_(settings),
      state_(cluster_options(settings, clock)),
      verticals_([this](const VerticalPtr& before, const VerticalPtr& after) {
        object_changed(before, after);
      }),
      pods_([this](const PodPtr& before, const PodPtr& after) {
        state_.pod_changed(before, after, clock_.wall_now());
      }),
      targets_(io, client, random, settings.kubernetes.ns,
               [this](const std::string& key, const TargetSelector& found) {
                 state_.target_found(key, found);
               }),
      writer_(io, clock, client),
      tasks_(io) {}

void KubernetesRecommender::object_changed(const VerticalPtr& before, const VerticalPtr& after) {
  state_.object_changed(before, after, clock_.wall_now());
  const std::string key = kubernetes::object_key((after ? after : before)->meta);
  if (after && state_.role_of(*after) != ClusterState::Role::kNone) {
    targets_.follow(key, after->meta.ns, after->target);
  } else {
    targets_.forget(key);
  }
}

void KubernetesRecommender::add_routes(http::ServiceServer& server) {
  add_explain_page(server, [this](const std::string& name, const ContainerName& container,
                                  const std::string& policy) {
    return state_.explain(name, container, policy, clock_.wall_now());
  });
}

void KubernetesRecommender::start() {
  targets_.start();
  tasks_.spawn("recommender", [this] { return run(); });
}

std::unique_ptr<kubernetes::Informer> KubernetesRecommender::informer(
    kubernetes::Resource resource, kubernetes::ObjectSink& sink) {
  const std::string kind = to_string(resource);
  kubernetes::ListWatchOptions options;
  options.resource = std::move(resource);
  options.ns = settings_.kubernetes.ns;
  options.try_watch_list = try_watch_list_;
  return std::make_unique<kubernetes::Informer>(
      client_, std::move(options), sink, random_, [kind](const Error& error) {
        log::warning("an object cannot be used", {{"kind", kind}, {"error", to_string(error)}});
      });
}

http::Awaitable<void> KubernetesRecommender::run() {
  co_await discover();
  watch_of_objects_ = informer(vertical_autoscalers(), verticals_);
  watch_of_pods_ = informer(kubernetes::pods(), pods_);
  tasks_.spawn("watch of objects", [this] { return watch_of_objects_->run(); });
  tasks_.spawn("watch of pods", [this] { return watch_of_pods_->run(); });
  bool may_go_on = true;
  // Without its target an object would get a status that the next loop takes back.
  while (may_go_on && !(not_ready_reason().empty() && targets_.unknown_kind().empty())) {
    tell_missing();
    may_go_on = co_await http::sleep_for(kLook);
  }
  while (may_go_on) {
    const TimePoint next = clock_.now() + settings_.loop.interval;
    co_await tick(std::max(next, clock_.now() + kRetry));
    may_go_on = co_await http::sleep_until(next);
  }
}

/// Asks until the server has answered.
http::Awaitable<void> KubernetesRecommender::discover() {
  for (;;) {
    const auto features = co_await kubernetes::discover(client_);
    if (features) {
      try_watch_list_ = features->may_have_watch_list();
      metrics_api_ = features->pod_metrics();
      co_return;
    }
    if (missing_.empty()) {
      missing_ = to_string(features.error());
      log::warning("the API server does not answer", {{"error", missing_}});
    }
    co_await http::sleep_for(kRetry);
  }
}

std::string KubernetesRecommender::not_ready_reason() const {
  const auto reason = [](const std::unique_ptr<kubernetes::Informer>& watch,
                         const kubernetes::Resource& resource) {
    std::string text = to_string(resource) + " are not listed yet";
    if (watch && !watch->status().failure.empty()) text += ": " + watch->status().failure;
    return text;
  };
  if (!verticals_.listed()) return reason(watch_of_objects_, vertical_autoscalers());
  if (!pods_.listed()) return reason(watch_of_pods_, kubernetes::pods());
  return {};
}

/// Logs once what has not been listed because of a failure.
void KubernetesRecommender::tell_missing() {
  if (verticals_.listed() && pods_.listed()) return;
  const auto& watch = verticals_.listed() ? watch_of_pods_ : watch_of_objects_;
  const std::string failure = watch->status().failure;
  if (failure.empty() || failure == missing_) return;
  missing_ = failure;
  log::warning("objects cannot be listed; it is tried again",
               {{"kind", watch->name()}, {"error", failure}});
}

http::Awaitable<void> KubernetesRecommender::tick(TimePoint until) {
  const TimePoint began = clock_.now();
  co_await read_metrics();
  co_await read_history();
  state_.recommend(clock_.wall_now());
  for (const Error& error : state_.take_problems()) {
    log::warning("an input of the recommender is not used as it is", {{"error", to_string(error)}});
  }
  auto deleted = state_.take_orphans();
  orphans_.insert(orphans_.end(), deleted.begin(), deleted.end());
  if (!client_.may_write()) {
    orphans_.clear();  // the one that writes has them too
    loop_time_ = clock_.now() - began;
    co_return;
  }
  co_await writer_.write_statuses(state_.status_writes(clock_.wall_now()));
  loop_time_ = clock_.now() - began;
  co_await writer_.delete_checkpoints(std::exchange(orphans_, {}));
  co_await writer_.write_checkpoints(state_, until);
}

http::Awaitable<void> KubernetesRecommender::read_metrics() {
  if (!metrics_api_) {
    const auto features = co_await kubernetes::discover(client_);
    if (features) metrics_api_ = features->pod_metrics();
  }
  if (!metrics_api_) {
    set_metrics_problem(std::string(kNoMetrics));
    co_return;
  }
  kubernetes::Resource resource = *metrics_api_;
  const Result<void> read = co_await read_measurements(std::move(resource));
  if (read) {
    state_.metrics_read();
    set_metrics_problem({});
    co_return;
  }
  set_metrics_problem(to_string(read.error()));
  // The API may have been removed.
  if (read.error().kind() == ErrorKind::kNotFound) metrics_api_.reset();
}

http::Awaitable<Result<void>> KubernetesRecommender::read_measurements(
    kubernetes::Resource resource) {
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kList, std::move(resource),
                                 settings_.kubernetes.ns);
  request.max_answer_bytes = kMostMetrics;
  const auto take = [this](const boost::json::object& item) -> Result<void> {
    BELLOWS_TRY(const kubernetes::PodMetrics measured, kubernetes::PodMetrics::from(item));
    state_.take(measured, clock_.wall_now());
    return {};
  };
  std::optional<Error> rejected;
  const auto reject = [&rejected](const Error& error) {
    if (!rejected) rejected = error;
  };
  const Result<void> read = co_await kubernetes::list_all(
      client_, std::move(request), kubernetes::PodMetrics::fields(), take, reject);
  if (rejected) log::warning("a measurement is not used", {{"error", to_string(*rejected)}});
  co_return read;
}

/// Logs a problem once, and its end.
void KubernetesRecommender::set_metrics_problem(std::string problem) {
  if (problem == metrics_problem_) return;
  if (problem.empty()) {
    log::info("the usage of pods is measured");
  } else {
    log::warning("the usage of pods is unknown", {{"error", problem}});
  }
  metrics_problem_ = std::move(problem);
}

/// Reads the checkpoints of objects that are new here: all at the start, later those that come from
/// another recommender.
http::Awaitable<void> KubernetesRecommender::read_history() {
  std::map<std::string, std::vector<std::string>> by_namespace;
  for (std::string& key : state_.without_history()) {
    std::string ns(kubernetes::split_key(key).ns);
    by_namespace[std::move(ns)].push_back(std::move(key));
  }
  for (auto& [ns, keys] : by_namespace) co_await read_checkpoints(ns, std::move(keys));
}

http::Awaitable<void> KubernetesRecommender::read_checkpoints(std::string ns,
                                                              std::vector<std::string> keys) {
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kList, vertical_checkpoints(), std::move(ns));
  request.query = "limit=500";
  const auto take = [this](const boost::json::object& item) { return take_checkpoint(item); };
  const auto reject = [](const Error& error) {
    log::warning("a checkpoint is not used", {{"error", to_string(error)}});
  };
  const Result<void> read = co_await kubernetes::list_all(
      client_, std::move(request), kubernetes::CustomObject::fields(), take, reject);
  const bool has_none = !read && read.error().kind() == ErrorKind::kNotFound;
  std::string problem = read ? std::string() : to_string(read.error());
  if (!problem.empty() && problem != checkpoint_problem_) {
    log::warning("checkpoints cannot be read", {{"error", problem}});
  }
  checkpoint_problem_ = std::move(problem);
  if (!read && !has_none) co_return;
  for (const std::string& key : keys) state_.history_read(key);
}

Result<void> KubernetesRecommender::take_checkpoint(const boost::json::object& item) {
  BELLOWS_TRY(const kubernetes::CustomObject object, kubernetes::CustomObject::from(item));
  BELLOWS_TRY(const CheckpointOwner owner, owner_of(object));
  if (!verticals_.find(object.meta.ns, owner.autoscaler)) {
    orphans_.emplace_back(object.meta.ns, object.meta.name);
    return {};
  }
  if (!state_.has_object(object.meta.ns, owner.autoscaler)) return {};
  BELLOWS_TRY(const Checkpoint checkpoint, checkpoint_of(object));
  state_.load(object.meta.ns, owner, checkpoint);
  return {};
}

http::Awaitable<void> KubernetesRecommender::stop(TimePoint deadline) {
  tasks_.stop();
  targets_.stop();
  writer_.stop();
  const auto log_failure = [](const Result<void>& joined) {
    if (!joined)
      log::warning("the recommender did not stop", {{"error", to_string(joined.error())}});
  };
  const Result<void> loop = co_await tasks_.join(deadline);
  log_failure(loop);
  const Result<void> targets = co_await targets_.join(deadline);
  log_failure(targets);
  const Result<void> writes = co_await writer_.join(deadline);
  log_failure(writes);
}

}  // namespace bellows::recommender
