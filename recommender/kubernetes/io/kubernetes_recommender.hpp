// The recommender of a Kubernetes cluster: follows its objects, and writes their recommendations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "config/recommender_program_settings.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/informer.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "recommender/kubernetes/core/cluster_state.hpp"
#include "recommender/kubernetes/io/object_writer.hpp"
#include "recommender/kubernetes/io/target_selectors.hpp"

namespace bellows::recommender {

/// Watches VerticalPodAutoscalers, pods and targets. Each recommender-interval it reads the metrics
/// of all pods and the checkpoints of new objects, recommends, and writes what has changed, as long
/// as the client may write: another recommender that does the same stands by. Owner: the program.
/// Thread: the io thread.
class KubernetesRecommender {
 public:
  /// All references outlive it.
  KubernetesRecommender(http::net::io_context& io, const sys::Clock& clock,
                        kubernetes::ApiClient& client, Random& random,
                        const config::RecommenderProgramSettings& settings);

  /// Adds the page of `recommender explain NAMESPACE/POD/CONTAINER --admin`.
  void add_routes(http::ServiceServer& server);
  /// Adds its series, which are read while they are exposed.
  void add_metrics(metrics::prometheus::Registry& registry);

  void start();
  /// Stops everything, by `deadline` at the latest.
  http::Awaitable<void> stop(TimePoint deadline);

  /// Returns what has not been listed yet and why; empty: it recommends.
  std::string not_ready_reason() const;
  /// Returns why nothing is measured; empty: pods are measured.
  const std::string& metrics_problem() const { return metrics_problem_; }

  /// Reads, recommends and writes once; then checkpoints, until `until`.
  http::Awaitable<void> tick(TimePoint until);

 private:
  using Verticals = kubernetes::ObjectStore<VerticalAutoscaler>;
  using Pods = kubernetes::ObjectStore<kubernetes::Pod>;

  void object_changed(const VerticalPtr& before, const VerticalPtr& after);
  http::Awaitable<void> run();
  http::Awaitable<void> discover();
  http::Awaitable<void> read_metrics();
  http::Awaitable<Result<void>> read_measurements(kubernetes::Resource resource);
  http::Awaitable<void> read_history();
  http::Awaitable<void> read_checkpoints(std::string ns, std::vector<std::string> keys);
  Result<void> take_checkpoint(const boost::json::object& item);
  void set_metrics_problem(std::string problem);
  void tell_missing();
  std::unique_ptr<kubernetes::Informer> informer(kubernetes::Resource resource,
                                                 kubernetes::ObjectSink& sink);
  std::vector<const kubernetes::Informer*> informers() const;
  void add_client_metrics(metrics::prometheus::Registry& registry);
  void add_recommendation_metrics(metrics::prometheus::Registry& registry);
  void add_write_metrics(metrics::prometheus::Registry& registry);

  const sys::Clock& clock_;
  kubernetes::ApiClient& client_;
  Random& random_;
  const config::RecommenderProgramSettings settings_;
  ClusterState state_;
  Verticals verticals_;
  Pods pods_;
  TargetSelectors targets_;
  ObjectWriter writer_;
  bool try_watch_list_ = false;
  std::unique_ptr<kubernetes::Informer> watch_of_objects_;  // null: not started yet
  std::unique_ptr<kubernetes::Informer> watch_of_pods_;
  std::optional<kubernetes::Resource> metrics_api_;  // nullopt: the server has none
  std::string metrics_problem_;
  std::string missing_;                                       // what was logged as missing
  std::string checkpoint_problem_;                            // the one that was logged
  std::vector<std::pair<std::string, std::string>> orphans_;  // checkpoints to delete
  Duration loop_time_{};  // of the last one, without checkpoints
  std::vector<metrics::prometheus::Listing> listings_;
  http::TaskGroup tasks_;  // declared last, because they use all of the above
};

}  // namespace bellows::recommender
