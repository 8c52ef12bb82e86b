// Tells the cluster what was decided, when that is worth telling.
#pragma once

#include <string_view>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/settings_streams.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"

namespace bellows::autoscaler {

/// A ready replica without a report for so long: its load counts as unknown for users. A new one
/// needs a moment to connect.
inline constexpr Duration kUnknownLoadAfter = std::chrono::seconds(10);
/// What a successor resumes from is told at least so often, each revision at its own time.
inline constexpr Duration kReportRefresh = std::chrono::minutes(30);

/// Reports with Report::is_urgent when a user would see the difference (state, number, mode, bound,
/// failure, known load, activators that reach no replica, settings without effect), without it
/// when only a successor would, and every kReportRefresh for what a revision has learned. Owner:
/// the service. Thread: the io thread.
class Reporter {
 public:
  /// All outlive it.
  Reporter(cluster::Cluster& cluster, const ScaleApplier& applier, const SettingsStreams& settings,
           const sys::Clock& clock);

  /// After every decision. `matters_to_successor`: one that resumes from the state of before would
  /// decide differently.
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

/// The setting that cut the number of the decision: "max-scale"; empty: none did.
std::string_view limiting_setting(const Decision& decision);

}  // namespace bellows::autoscaler
