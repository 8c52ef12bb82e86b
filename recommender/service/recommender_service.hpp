// The recommender as a part of a program: it reads usage and sets sizes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "config/recommender_settings.hpp"
#include "config/recommender_source_settings.hpp"
#include "config/service.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "recommender/service/instruments.hpp"
#include "recommender/service/size_applier.hpp"
#include "recommender/service/source_reader.hpp"
#include "recommender/service/usage_source.hpp"
#include "recommender/service/workload_store.hpp"

namespace bellows::recommender {

struct RecommenderOptions {
  config::RecommenderSettings policies;
  config::RecommenderLoopSettings loop;
};

/// The arguments of the constructor outlive it. Owner: the program (`recommender serve`, or
/// `bellows run`). Thread: the io thread.
///
///     RecommenderService recommender(io, clock, registry, options);
///     recommender.add_source(std::make_unique<...>(...), period);
///     // Optional: without it sizes are only advice.
///     recommender.apply_to(cluster, writer, dependencies);
///     recommender.add_routes(server);  // then server.listen()
///     recommender.start();
class RecommenderService {
 public:
  RecommenderService(http::net::io_context& io, const sys::Clock& clock,
                     metrics::prometheus::Registry& registry, RecommenderOptions options);
  ~RecommenderService();
  RecommenderService(const RecommenderService&) = delete;
  RecommenderService& operator=(const RecommenderService&) = delete;

  /// Adds a source. With a `period` of zero each tick reads it, for a source that only buffers.
  void add_source(std::unique_ptr<UsageSource> source, Duration period);

  /// Applies sizes there. All arguments must outlive the service.
  void apply_to(cluster::Cluster& cluster, cluster::SizeWriter& writer,
                SizingDependencies dependencies);

  /// Adds GET /v1/recommendations, and /v1/recommendations/WORKLOAD/CONTAINER/explain (plain text;
  /// a replica's name may stand for its workload, ?policy= names a shadow). This object outlives
  /// `server`.
  void add_routes(http::ServiceServer& server);

  /// Reads the checkpoint file and starts. A file that cannot be used is logged as a warning and
  /// renamed, and the service starts without history.
  void start();

  /// Runs the next tick at once, after an event that must not wait.
  void request_tick();

  /// Reads the sources with period zero, recommends, applies sizes and saves when due. start() runs
  /// it every interval; a test with its own clock calls it.
  http::Awaitable<void> tick();

  /// Returns "resources" of a service's status; nullopt if its resources-mode is off.
  std::optional<std::string> status_of(const cluster::Revision& service) const;

  /// Returns the size of the replicas of a revision that is about to be listed, from the data about
  /// its service; empty without data.
  ReplicaSize size_of_first(const config::Service& revision);

  /// Returns the size of its next replica; empty if it is not managed.
  ReplicaSize size_of_new(const RevisionId& service) const;

  const WorkloadStore& store() const { return store_; }

  /// Updates the metrics. Call it before they are exposed.
  void refresh_metrics();

  /// Stops ticks and sources and saves, by `deadline` at the latest.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  void follow();
  http::Awaitable<void> run_ticks();
  void restore();
  void save();
  Error unknown(const std::string& name) const;
  Result<std::vector<std::string>> explain(const std::string& name, const ContainerName& container,
                                           const std::string& policy);

  const sys::Clock& clock_;
  const RecommenderOptions options_;
  WorkloadStore store_;
  std::vector<std::unique_ptr<SourceReader>> sources_;
  std::unique_ptr<SizeApplier> applier_;  // nullptr: advice only
  Instruments instruments_;
  http::AsioTimer due_;  // the next tick; cancelled by request_tick()
  bool is_tick_requested_ = false;
  std::optional<TimePoint> saved_;
  bool is_save_broken_ = false;
  http::TaskGroup tasks_;  // declared last, because they use all of the above
};

}  // namespace bellows::recommender
