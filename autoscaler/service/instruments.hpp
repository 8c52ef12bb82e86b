// The autoscaler's metrics (bellows_autoscaler_*).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "base/ids.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::autoscaler {

/// One set of series per revision, gone with it. Owner: the service. Thread: the io thread.
class Instruments {
 public:
  /// `registry` outlives it.
  explicit Instruments(metrics::prometheus::Registry& registry);

  void decided(const ScaledRevision& revision, const Decision& decision);
  void gone(const RevisionId& revision);

  /// Takes over what is counted elsewhere.
  void refresh(const RegistryCounters& received, const ScaleApplier& applier,
               const metrics::StatReceiver& receiver);

 private:
  using Gauge = metrics::prometheus::Gauge;
  using Counter = metrics::prometheus::Counter;

  struct Series {
    Series(metrics::prometheus::Registry& registry, const RevisionId& revision);

    metrics::prometheus::Labels labels;
    Gauge desired, requested, actual, starting;
    Gauge stable_concurrency, panic_concurrency, target;
    Gauge panic_mode, burst_capacity, waiting;
    std::array<Gauge, 3> state;                            // by ServingState
    std::array<std::optional<Counter>, kRules> decisions;  // by Rule, made when first needed
  };

  Counter& decisions_of(Series& series, Rule rule);

  metrics::prometheus::Registry& registry_;
  std::map<RevisionId, Series> series_;
  Counter stats_, wakes_, unknown_, refused_, bad_messages_;
  Gauge connections_;
};

}  // namespace bellows::autoscaler
