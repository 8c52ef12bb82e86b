// The autoscaler's metrics (bellows_autoscaler_*).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::autoscaler {

/// What a revision's series say is read from what the registry keeps, when somebody asks: nothing
/// is kept twice, and a revision that went away has none. Owner: the service. Thread: the io
/// thread.
class Instruments {
 public:
  /// Both outlive it.
  Instruments(metrics::prometheus::Registry& metrics, const RevisionRegistry& revisions);

  /// Takes over what is counted elsewhere.
  void refresh(const RegistryCounters& received, const ScaleApplier& applier,
               const metrics::StatReceiver& receiver);

 private:
  using Counter = metrics::prometheus::Counter;
  using Gauge = metrics::prometheus::Gauge;
  /// One number of a revision and of what its newest decision saw.
  using Read = std::function<double(const ScaledRevision&, const Observation&)>;

  void show(std::string_view name, std::string_view help, Read read);
  void show_state();
  void show_decisions();

  metrics::prometheus::Registry& metrics_;
  const RevisionRegistry& revisions_;
  std::vector<metrics::prometheus::Listing> by_revision_;
  Counter stats_, wakes_, unknown_, refused_, bad_messages_;
  Gauge connections_;
};

}  // namespace bellows::autoscaler
