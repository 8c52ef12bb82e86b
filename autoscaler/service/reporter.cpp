#include "autoscaler/service/reporter.hpp"

#include <functional>
#include <utility>

#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/service/state_file.hpp"

namespace bellows::autoscaler {
namespace {

bool is_load_known(const Decision& decision) {
  const auto& since = decision.after.load_unknown_since;
  return decision.is_valid && !(since && decision.at - *since >= kUnknownLoadAfter);
}

std::string_view setting_behind_minimum(const Decision& decision) {
  if (decision.replicas != decision.spec.min_scale) return "enable-scale-to-zero";
  switch (decision.spec.min_scale_from) {
    case config::MinScaleFrom::kSetting:
      break;
    case config::MinScaleFrom::kDeploy:
      return {};
    case config::MinScaleFrom::kSlowBrain:
      return "slow-brain";
  }
  return "min-scale";
}

/// Returns a time from zero to kReportRefresh, by the name, so that revisions listed together are
/// reported apart.
Duration offset_of(const RevisionId& revision) {
  constexpr auto kPeriod = static_cast<std::size_t>(kReportRefresh.count());
  return Duration(static_cast<Duration::rep>(std::hash<RevisionId>()(revision) % kPeriod));
}

}  // namespace

std::string_view limiting_setting(const Decision& decision) {
  switch (decision.rule) {
    case Rule::kMaxScale:
      return "max-scale";
    case Rule::kMinScale:
      return setting_behind_minimum(decision);
    case Rule::kInitialScale:
      return "initial-scale";
    case Rule::kActivationScale:
      return "activation-scale";
    case Rule::kUpRate:
      return "max-scale-up-rate";
    case Rule::kDownRate:
      return "max-scale-down-rate";
    default:
      return {};
  }
}

Reporter::Reporter(cluster::Cluster& cluster, const ScaleApplier& applier,
                   const SettingsStreams& settings, const sys::Clock& clock)
    : cluster_(cluster), applier_(applier), settings_(settings), clock_(clock) {}

void Reporter::decided(ScaledRevision& revision, const Decision& decision,
                       bool matters_to_successor) {
  Told& told = revision.told;
  Told::Shown shown = shown_of(revision, decision);
  const bool is_first = !told.shown;
  const bool is_urgent = told.shown != shown;
  if (!is_urgent && !matters_to_successor && decision.at < told.refresh_at) return;
  tell(revision, decision, shown, is_urgent);
  told.shown = std::move(shown);
  told.refresh_at = decision.at + (is_first ? offset_of(revision.id()) : kReportRefresh);
}

Told::Shown Reporter::shown_of(const ScaledRevision& revision, const Decision& decision) const {
  return {.serving = revision.serving_state(),
          .desired = decision.replicas,
          .mode = decision.mode,
          .limited_by = limiting_setting(decision),
          .is_load_known = is_load_known(decision),
          .failure_message = applier_.trouble(revision.id()),
          .kept_away = revision.observed.kept_away(decision.at),
          .without_effect = settings_.without_effect(revision.observed.listed()),
          .learned_target = revision.slow ? revision.slow->learned_target() : std::nullopt};
}

void Reporter::tell(const ScaledRevision& revision, const Decision& decision,
                    const Told::Shown& shown, bool is_urgent) {
  cluster::Report report;
  report.serving = shown.serving;
  report.desired = shown.desired;
  report.mode = to_string(shown.mode);
  report.reason = explain::brief(decision);
  report.limited_by = shown.limited_by;
  report.is_load_known = shown.is_load_known;
  report.failure_message = shown.failure_message;
  report.kept_away = shown.kept_away;
  report.without_effect = shown.without_effect;
  report.learned_target = shown.learned_target;
  if (shown.serving != cluster::ServingState::kRetired) {
    report.saved_state =
        state_json({.at = {decision.at, clock_.wall_now()}, .state = revision.state});
  }
  report.is_urgent = is_urgent;
  cluster_.report(revision.id(), std::move(report));
}

}  // namespace bellows::autoscaler
