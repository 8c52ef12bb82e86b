// Reports decisions to the cluster, if they matter to a user or a successor.
#pragma once

#include <string_view>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/settings_streams.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"

namespace bellows::autoscaler {

/// The time without a report after which users see the load of a ready replica as unknown. A new
/// replica needs some time to connect.
inline constexpr Duration kUnknownLoadAfter = std::chrono::seconds(10);
/// The maximum time between two reports of the state from which a successor resumes; each revision
/// has its own phase.
inline constexpr Duration kReportRefresh = std::chrono::minutes(30);

/// Sends reports. One has Report::is_urgent if a user sees the change (state, number, mode, bound,
/// failure, known load, activators that reach no replica, replicas that do not help, settings
/// without effect). One without it follows a change that matters only to a successor, and is sent
/// every kReportRefresh for the learned state of a revision. Owner: the service. Thread: the io
/// thread.
class Reporter {
 public:
  /// All outlive it.
  Reporter(cluster::Cluster& cluster, const ScaleApplier& applier, const SettingsStreams& settings,
           const sys::Clock& clock);

  /// Call it after every decision. `matters_to_successor`: a successor that resumes from the
  /// earlier state would decide differently.
  void decided(ScaledRevision& revision, const Decision& decision, bool matters_to_successor);

 private:
  Told::Shown shown_of(const ScaledRevision& revision, const Decision& decision) const;
  void tell(const ScaledRevision& revision, const Decision& decision, const Told::Shown& shown,
            bool is_urgent);

  cluster::Cluster& cluster_;
  const ScaleApplier& applier_;
  const SettingsStreams& settings_;
  const sys::Clock& clock_;
};

/// Returns the setting that limited the number of the decision: "max-scale"; empty: none did.
std::string_view limiting_setting(const Decision& decision);

}  // namespace bellows::autoscaler
