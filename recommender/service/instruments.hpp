// The recommender's metrics (bellows_recommender_*).
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "metrics/prometheus/instruments.hpp"
#include "recommender/service/size_applier.hpp"
#include "recommender/service/source_reader.hpp"
#include "recommender/service/workload_book.hpp"

namespace bellows::recommender {

/// Targets and bounds of every workload, container and policy: a shadow policy is compared by its
/// label. Owner: the service. Thread: the io thread.
class Instruments {
 public:
  /// `registry` outlives it.
  explicit Instruments(metrics::prometheus::Registry& registry);

  /// Takes over how things are. A series lives as long as what it is about.
  void refresh(const WorkloadBook& book, const std::vector<std::unique_ptr<SourceReader>>& sources,
               const SizeApplier* applier);

 private:
  using Gauge = metrics::prometheus::Gauge;
  using Counter = metrics::prometheus::Counter;

  /// One resource of what one policy says about one container.
  struct Series {
    Gauge target, lower_bound, upper_bound, uncapped_target;
  };
  using Key = std::tuple<std::string, std::string, std::string, Resource>;

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
  Counter booked_, refused_;
};

}  // namespace bellows::recommender
