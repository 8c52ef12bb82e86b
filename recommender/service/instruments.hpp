// The recommender's metrics (bellows_recommender_*).
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "metrics/prometheus/instruments.hpp"
#include "recommender/service/size_applier.hpp"
#include "recommender/service/source_reader.hpp"
#include "recommender/service/workload_store.hpp"

namespace bellows::recommender {

/// Exposes targets and bounds of every workload, container and policy: shadow policies differ by
/// label. Owner: the service. Thread: the io thread.
class Instruments {
 public:
  /// `registry` must outlive it.
  explicit Instruments(metrics::prometheus::Registry& registry);

  /// Updates all metrics. A series exists as long as its workload, container and policy.
  void refresh(const WorkloadStore& store,
               const std::vector<std::unique_ptr<SourceReader>>& sources,
               const SizeApplier* applier);

 private:
  using Gauge = metrics::prometheus::Gauge;
  using Counter = metrics::prometheus::Counter;

  /// The recommendation of one policy for one resource of one container.
  struct Series {
    Gauge target, lower_bound, upper_bound, uncapped_target;
  };
  /// Workload, its service, container, policy, resource.
  using Key = std::tuple<std::string, std::string, std::string, std::string, Resource>;

  Series make_series(const Key& key, bool is_shadow);
  void show(const Key& key, bool is_shadow, const Sizes& sizes, std::map<Key, Series>& fresh);
  void refresh_resizes(const SizeApplier& applier);

  metrics::prometheus::Registry& registry_;
  std::map<Key, Series> series_;
  std::map<std::string, Gauge> sources_;
  struct Resizes {
    Counter done, failed;
  };
  std::map<RevisionId, Resizes> resizes_;
  Counter recorded_, rejected_;
};

}  // namespace bellows::recommender
