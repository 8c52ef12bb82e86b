#include "autoscaler/service/instruments.hpp"

#include <string>

namespace bellows::autoscaler {
namespace {

using metrics::prometheus::Counter;
using metrics::prometheus::Gauge;
using metrics::prometheus::Labels;
using metrics::prometheus::Registry;

Gauge state_gauge(Registry& registry, Labels labels, ServingState state) {
  labels["state"] = to_string(state);
  return registry.gauge("bellows_autoscaler_state",
                        "1 for the serving state the revision is in, 0 for the others", labels);
}

void raise_to(Counter& counter, std::uint64_t total) {
  counter.add(total - counter.value());
}

}  // namespace

Instruments::Series::Series(Registry& registry, const RevisionId& revision)
    : labels{{"revision", revision.text()}},
      desired(registry.gauge("bellows_autoscaler_desired_pods", "Replicas the autoscaler wants",
                             labels)),
      requested(registry.gauge("bellows_autoscaler_requested_pods",
                               "Replicas the cluster was last asked for", labels)),
      actual(registry.gauge("bellows_autoscaler_actual_pods", "Replicas that are ready", labels)),
      starting(registry.gauge("bellows_autoscaler_starting_pods",
                              "Replicas that are ordered and not ready yet", labels)),
      stable_concurrency(registry.gauge("bellows_autoscaler_stable_concurrency",
                                        "Requests in flight, mean over the stable window", labels)),
      panic_concurrency(registry.gauge("bellows_autoscaler_panic_concurrency",
                                       "Requests in flight, mean over the panic window", labels)),
      target(registry.gauge("bellows_autoscaler_target_concurrency",
                            "Requests in flight wanted per replica", labels)),
      panic_mode(registry.gauge("bellows_autoscaler_panic_mode", "1 in panic mode", labels)),
      burst_capacity(registry.gauge("bellows_autoscaler_burst_capacity",
                                    "Requests that may still come at once, less the spare room "
                                    "that is wanted; negative: the activator is needed",
                                    labels)),
      waiting(registry.gauge("bellows_autoscaler_waiting_requests", "Requests held by activators",
                             labels)),
      state{state_gauge(registry, labels, ServingState::kActive),
            state_gauge(registry, labels, ServingState::kReserve),
            state_gauge(registry, labels, ServingState::kRetired)} {}

Instruments::Instruments(Registry& registry)
    : registry_(registry),
      stats_(registry.counter("bellows_autoscaler_stats_received_total",
                              "Stats that came in, duplicates included")),
      wakes_(registry.counter("bellows_autoscaler_wakes_received_total",
                              "Wakes of revisions at zero that came in")),
      unknown_(registry.counter("bellows_autoscaler_stats_unknown_total",
                                "Stats and wakes of revisions that the cluster does not list")),
      refused_(registry.counter("bellows_autoscaler_scale_refused_total",
                                "Orders that the cluster refused")),
      bad_messages_(registry.counter("bellows_autoscaler_stats_malformed_total",
                                     "Messages that could not be read; each ended its connection")),
      connections_(registry.gauge("bellows_autoscaler_stat_connections", "Open streams of stats")) {
}

void Instruments::decided(const ScaledRevision& revision, const Decision& decision) {
  const auto [it, is_new] = series_.try_emplace(revision.id(), registry_, revision.id());
  Series& series = it->second;
  series.desired.set(decision.want);
  series.requested.set(decision.seen.requested);
  series.actual.set(decision.seen.ready);
  series.starting.set(decision.seen.starting);
  series.stable_concurrency.set(decision.seen.stable.total);
  series.panic_concurrency.set(decision.seen.panic.total);
  series.target.set(decision.spec.target);
  series.panic_mode.set(decision.mode == Mode::kPanic ? 1 : 0);
  series.burst_capacity.set(decision.burst_capacity);
  series.waiting.set(static_cast<double>(decision.seen.waiting));
  const auto state = static_cast<std::size_t>(revision.serving_state());
  for (std::size_t i = 0; i < series.state.size(); ++i) series.state[i].set(i == state ? 1 : 0);
  decisions_of(series, decision.rule).add();
}

Counter& Instruments::decisions_of(Series& series, Rule rule) {
  std::optional<Counter>& counter = series.decisions.at(static_cast<std::size_t>(rule));
  if (!counter) {
    Labels labels = series.labels;
    labels["reason"] = to_string(rule);
    counter = registry_.counter("bellows_autoscaler_decisions_total",
                                "Decisions by the rule that set the number", labels);
  }
  return *counter;
}

void Instruments::gone(const RevisionId& revision) {
  series_.erase(revision);
}

void Instruments::refresh(const RegistryCounters& received, const ScaleApplier& applier,
                          const metrics::StatReceiver& receiver) {
  raise_to(stats_, received.stats);
  raise_to(wakes_, received.wakes);
  raise_to(unknown_, received.unknown_revision);
  raise_to(refused_, applier.refused());
  raise_to(bad_messages_, receiver.counters().bad_messages);
  connections_.set(static_cast<double>(receiver.open_connections()));
}

}  // namespace bellows::autoscaler
