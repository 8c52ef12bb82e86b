// The recommender as a part of a program: usage in, sizes out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "config/recommender_settings.hpp"
#include "config/recommender_source_settings.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "recommender/service/instruments.hpp"
#include "recommender/service/size_applier.hpp"
#include "recommender/service/source_reader.hpp"
#include "recommender/service/usage_source.hpp"
#include "recommender/service/workload_book.hpp"

namespace bellows::recommender {

struct RecommenderOptions {
  config::RecommenderSettings policies;
  config::RecommenderLoopSettings loop;
};

/// Owner: the program (`recommender serve`, or `bellows run`). Thread: the io thread. The arguments
/// of the constructor outlive it.
///   RecommenderService recommender(io, clock, registry, options);
///   recommender.add_source(std::make_unique<...>(...), period);
///   recommender.apply_to(cluster, writer, surroundings);  // or not: then it advises only
///   recommender.add_routes(server);                       // then server.listen()
///   recommender.start();
class RecommenderService {
 public:
  RecommenderService(http::net::io_context& io, const sys::Clock& clock,
                     metrics::prometheus::Registry& registry, RecommenderOptions options);
  ~RecommenderService();
  RecommenderService(const RecommenderService&) = delete;
  RecommenderService& operator=(const RecommenderService&) = delete;

  /// `period` zero: it is read by each beat, as befits one that only hands on what it was told.
  void add_source(std::unique_ptr<UsageSource> source, Duration period);

  /// Sizes go into effect there. All outlive the service.
  void apply_to(cluster::Cluster& cluster, cluster::SizeWriter& writer, Surroundings surroundings);

  /// GET /v1/recommendations, and /v1/recommendations/WORKLOAD/CONTAINER/explain (plain text; a
  /// replica's name may stand for its workload, ?policy= names a shadow). It outlives `server`.
  void add_routes(http::ServiceServer& server);

  /// Reads the checkpoint file and begins. A file that cannot be used is told in a warning and
  /// moved aside, and it starts without.
  void start();

  /// The next beat comes at once: something happened that should not wait.
  void wake();

  /// Reads what needs no waiting, recommends, puts into effect, saves what is due. start() does it
  /// every interval; a test with its own clock calls it.
  http::Awaitable<void> beat();

  /// "resources" of a service's status; nullopt: resources-mode is off there.
  std::optional<std::string> status_of(const cluster::Revision& service) const;

  const WorkloadBook& book() const { return book_; }

  /// Before the metrics are exposed.
  void refresh_metrics();

  /// Ends the beat and the sources, saves. By `deadline` at the latest.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Awaitable<void> keep_beating();
  void restore();
  void save();
  Error unknown(const std::string& name) const;
  Result<std::vector<std::string>> explain(const std::string& path, const std::string& policy);

  const sys::Clock& clock_;
  const RecommenderOptions options_;
  WorkloadBook book_;
  std::vector<std::unique_ptr<SourceReader>> sources_;
  std::unique_ptr<SizeApplier> applier_;  // nullptr: it advises only
  Instruments instruments_;
  http::Timer due_;  // the next beat; cancelled by wake()
  bool is_woken_ = false;
  std::optional<TimePoint> saved_;
  bool is_save_broken_ = false;
  http::TaskGroup tasks_;  // last: they use all of the above
};

}  // namespace bellows::recommender
