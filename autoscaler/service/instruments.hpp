// The autoscaler's metrics (bellows_autoscaler_*).
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "autoscaler/core/settings_orders.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/stat_guard.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::autoscaler {

/// Exposes the metrics. A scrape reads a revision's series from the registry, so they are stored
/// once and end with the revision. Owner: the service. Thread: the io thread.
class Instruments {
 public:
  /// Both outlive it.
  Instruments(metrics::prometheus::Registry& metrics, const RevisionRegistry& revisions);

  /// Copies the counters of other objects.
  void refresh(const RegistryCounters& received, const ScaleApplier& applier,
               const metrics::StatReceiver& receiver, const StatGuard& guard,
               const SettingsOrders& settings, bool takes_orders);

 private:
  using Counter = metrics::prometheus::Counter;
  using Gauge = metrics::prometheus::Gauge;
  /// Returns one number of a revision and of the observation of its newest decision.
  using Read = std::function<double(const ScaledRevision&, const Observation&)>;

  void show(std::string_view name, std::string_view help, Read read);
  void show_occupied();
  void show_state();
  void show_decisions();
  void show_learned();

  metrics::prometheus::Registry& metrics_;
  const RevisionRegistry& revisions_;
  std::vector<metrics::prometheus::Listing> by_revision_;
  Counter stats_, triggers_, unknown_, rejected_, bad_messages_, orders_, answers_;
  std::array<Counter, kRefusalNames.size()> refused_;
  Gauge connections_, takes_orders_;
};

}  // namespace bellows::autoscaler
