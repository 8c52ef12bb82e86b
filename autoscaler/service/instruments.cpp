#include "autoscaler/service/instruments.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "metrics/prometheus/revision_labels.hpp"

namespace bellows::autoscaler {
namespace {

using metrics::prometheus::AddSeries;
using metrics::prometheus::Counter;
using metrics::prometheus::kNamespaceLabel;
using metrics::prometheus::kRevisionLabel;
using metrics::prometheus::kServiceLabel;
using metrics::prometheus::Registry;

constexpr std::array<ServingState, 3> kStates = {ServingState::kActive, ServingState::kReserve,
                                                 ServingState::kRetired};

void raise_to(Counter& counter, std::uint64_t total) {
  counter.add(total - counter.value());
}

std::array<Counter, kRefusalNames.size()> refusal_counters(Registry& metrics) {
  const auto counter = [&](Refusal why) {
    return metrics.counter("bellows_autoscaler_stats_refused_total",
                           "Rejected stats, triggers and connections",
                           {{"reason", std::string(kRefusalNames[static_cast<std::size_t>(why)])}});
  };
  return {counter(Refusal::kSecret), counter(Refusal::kOtherPod), counter(Refusal::kUnlisted),
          counter(Refusal::kTwoSenders), counter(Refusal::kToken)};
}

/// The values of the labels of a revision; views of the revision.
struct RevisionNames {
  explicit RevisionNames(const ScaledRevision& scaled)
      : service(parts_of(scaled.observed.listed().service_id()).name),
        revision(parts_of(scaled.id()).name),
        name_space(parts_of(scaled.id()).name_space) {}

  std::string_view service;
  std::string_view revision;
  std::string_view name_space;
};

}  // namespace

Instruments::Instruments(Registry& metrics, const RevisionRegistry& revisions)
    : metrics_(metrics),
      revisions_(revisions),
      stats_(metrics.counter("bellows_autoscaler_stats_received_total",
                             "Stats received, duplicates included")),
      triggers_(metrics.counter("bellows_autoscaler_scale_from_zero_triggers_received_total",
                                "Scale-from-zero triggers received")),
      unknown_(metrics.counter("bellows_autoscaler_stats_unknown_total",
                               "Stats and triggers of revisions that the cluster does not list")),
      rejected_(metrics.counter("bellows_autoscaler_scale_rejected_total",
                                "Scale orders that the cluster rejected")),
      bad_messages_(metrics.counter("bellows_autoscaler_stats_malformed_total",
                                    "Invalid messages; each closed its connection")),
      orders_(metrics.counter("bellows_autoscaler_settings_sent_total",
                              "Settings sent to queue-proxies")),
      answers_(metrics.counter("bellows_autoscaler_settings_answered_total",
                               "Settings that a queue-proxy has taken, or refused with a reason")),
      refused_(refusal_counters(metrics)),
      connections_(metrics.gauge("bellows_autoscaler_stat_connections", "Open streams of stats")),
      takes_orders_(metrics.gauge("bellows_autoscaler_takes_orders",
                                  "1: this autoscaler orders replicas; 0: it stands by")) {
  using Revision = ScaledRevision;
  using Seen = Observation;
  show("bellows_autoscaler_desired_pods", "Replicas of the last decision",
       [](const Revision& revision, const Seen& /*seen*/) { return revision.state.replicas; });
  show("bellows_autoscaler_requested_pods", "Replicas of the last order to the cluster",
       [](const Revision& /*revision*/, const Seen& seen) { return seen.requested; });
  show("bellows_autoscaler_actual_pods", "Replicas that are ready",
       [](const Revision& /*revision*/, const Seen& seen) { return seen.ready; });
  show("bellows_autoscaler_starting_pods", "Replicas that were ordered and are not ready yet",
       [](const Revision& /*revision*/, const Seen& seen) { return seen.starting; });
  show("bellows_autoscaler_failed_starts",
       "Starts of replicas that failed since the last one that succeeded",
       [](const Revision& revision, const Seen& /*seen*/) {
         return static_cast<double>(revision.failed_starts.count());
       });
  show("bellows_autoscaler_stable_concurrency", "Requests in flight, mean over the stable window",
       [](const Revision& /*revision*/, const Seen& seen) { return seen.stable.total; });
  show("bellows_autoscaler_panic_concurrency", "Requests in flight, mean over the panic window",
       [](const Revision& /*revision*/, const Seen& seen) { return seen.panic.total; });
  show("bellows_autoscaler_target_concurrency", "Target of requests in flight per replica",
       [](const Revision& revision, const Seen& /*seen*/) { return revision.spec.target; });
  show("bellows_autoscaler_panic_mode", "1 in panic mode",
       [](const Revision& revision, const Seen& /*seen*/) { return revision.state.panic ? 1 : 0; });
  show(
      "bellows_autoscaler_burst_capacity",
      "Free slots less target-burst-capacity; negative: the activator stays in the path",
      [](const Revision& revision, const Seen& /*seen*/) { return revision.state.burst_capacity; });
  show("bellows_autoscaler_waiting_requests", "Requests waiting in activators",
       [](const Revision& /*revision*/, const Seen& seen) {
         return static_cast<double>(seen.waiting);
       });
  show_occupied();
  show_state();
  show_decisions();
  show_learned();
}

void Instruments::show_occupied() {
  using Revision = ScaledRevision;
  using Seen = Observation;
  show("bellows_autoscaler_occupied_pods",
       "Ready replicas that serve, hold a tunnel or say that they are occupied; 0 if no policy "
       "looks",
       [](const Revision& /*revision*/, const Seen& seen) {
         return seen.policy ? seen.policy->rooms.occupied : 0;
       });
  show("bellows_autoscaler_kept_pods", "Occupied replicas that no scale-down removes",
       [](const Revision& /*revision*/, const Seen& seen) {
         return seen.policy ? seen.policy->kept : 0;
       });
}

void Instruments::show(std::string_view name, std::string_view help, Read read) {
  auto list = [this, read = std::move(read)](const AddSeries& add) {
    revisions_.for_each([&](const RevisionId& /*id*/, const ScaledRevision& revision) {
      const std::optional<Observation> seen = revision.journal.last_seen();
      if (!seen) return;
      const RevisionNames names(revision);
      add({{kNamespaceLabel, names.name_space},
           {kRevisionLabel, names.revision},
           {kServiceLabel, names.service}},
          read(revision, *seen));
    });
  };
  by_revision_.push_back(metrics_.list_gauges(name, help, std::move(list)));
}

void Instruments::show_state() {
  auto list = [this](const AddSeries& add) {
    revisions_.for_each([&](const RevisionId& /*id*/, const ScaledRevision& revision) {
      const RevisionNames names(revision);
      for (const ServingState state : kStates) {
        add({{kNamespaceLabel, names.name_space},
             {kRevisionLabel, names.revision},
             {kServiceLabel, names.service},
             {"state", to_string(state)}},
            revision.serving_state() == state ? 1 : 0);
      }
    });
  };
  by_revision_.push_back(metrics_.list_gauges(
      "bellows_autoscaler_state", "1 for the serving state the revision is in, 0 for the others",
      std::move(list)));
}

void Instruments::show_decisions() {
  auto list = [this](const AddSeries& add) {
    revisions_.for_each([&](const RevisionId& /*id*/, const ScaledRevision& revision) {
      const RevisionNames names(revision);
      for (std::size_t rule = 0; rule < kRules; ++rule) {
        const std::uint64_t taken = revision.decisions[rule];
        if (taken == 0) continue;
        add({{kNamespaceLabel, names.name_space},
             {"reason", to_string(static_cast<Rule>(rule))},
             {kRevisionLabel, names.revision},
             {kServiceLabel, names.service}},
            static_cast<double>(taken));
      }
    });
  };
  by_revision_.push_back(metrics_.list_counters("bellows_autoscaler_decisions_total",
                                                "Decisions by the rule that set the number",
                                                std::move(list)));
}

void Instruments::show_learned() {
  using slow::Advice;
  const auto show_advice = [this](std::string_view name, std::string_view help, auto read) {
    auto list = [this, read](const AddSeries& add) {
      for (const auto& [id, revision] : revisions_.revisions()) {
        if (!revision->slow || !revision->slow->advice()) continue;
        const RevisionNames names(*revision);
        add({{kNamespaceLabel, names.name_space},
             {kRevisionLabel, names.revision},
             {kServiceLabel, names.service}},
            read(*revision->slow->advice()));
      }
    };
    by_revision_.push_back(metrics_.list_gauges(name, help, std::move(list)));
  };
  show_advice("bellows_autoscaler_slow_target",
              "Requests in flight per replica by which the slow brain scales",
              [](const Advice& advice) { return advice.target; });
  show_advice("bellows_autoscaler_slow_confidence",
              "Confidence in the binding bound, 0 to 1; 0: no bound binds",
              [](const Advice& advice) { return advice.reason ? advice.confidence : 0; });
  auto list = [this](const AddSeries& add) {
    for (const auto& [id, revision] : revisions_.revisions()) {
      if (!revision->slow || !revision->slow->advice()) continue;
      const RevisionNames names(*revision);
      for (std::size_t i = 0; i < slow::kReasons; ++i) {
        const auto& bound = revision->slow->advice()->bounds[i];
        if (!bound) continue;
        add({{kNamespaceLabel, names.name_space},
             {"reason", slow::to_string(static_cast<slow::Reason>(i))},
             {kRevisionLabel, names.revision},
             {kServiceLabel, names.service}},
            bound->level);
      }
    }
  };
  by_revision_.push_back(metrics_.list_gauges(
      "bellows_autoscaler_slow_bound",
      "Maximum of requests in flight in a replica, by the limiting resource", std::move(list)));
}

void Instruments::refresh(const RegistryCounters& received, const ScaleApplier& applier,
                          const metrics::StatReceiver& receiver, const StatGuard& guard,
                          const SettingsOrders& settings, bool takes_orders) {
  raise_to(stats_, received.stats);
  raise_to(triggers_, received.triggers);
  raise_to(unknown_, received.unknown_revision);
  raise_to(rejected_, applier.rejected());
  raise_to(bad_messages_, receiver.counters().bad_messages);
  raise_to(orders_, settings.sent());
  raise_to(answers_, settings.answers());
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    raise_to(refused_[i], guard.refused(static_cast<Refusal>(i)));
  }
  connections_.set(static_cast<double>(receiver.open_connections()));
  takes_orders_.set(takes_orders ? 1 : 0);
}

}  // namespace bellows::autoscaler
