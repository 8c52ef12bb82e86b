#include "autoscaler/journal/decision_json.hpp"

#include <algorithm>

#include "autoscaler/core/rules/rate_limit.hpp"
#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/journal/field_json.hpp"

namespace bellows::autoscaler::journal {
namespace {

constexpr json::Range kLoads{0, 1e15};

std::int32_t whole_seconds(Duration duration) {
  return static_cast<std::int32_t>(duration / std::chrono::seconds(1));
}

/// The keys of one window. The observed average is that of the whole revision for Knative and that
/// of one replica for the seed; the other one has a key of its own.
struct Keys {
  const char* observed;
  const char* total;
  const char* per_pod;
  const char* queued;
  const char* known;
};
constexpr Keys kStable{"stable", "stable-total", "stable-per-pod", "stable-queued",
                       "known-seconds"};
constexpr Keys kPanic{"panic", "panic-total", "panic-per-pod", "panic-queued",
                      "panic-known-seconds"};

double observed(const ScalingSpec& spec, const WindowLoad& load) {
  return spec.is_seed ? load.per_pod : load.total;
}

void write_window(json::Writer& line, const Keys& keys, const ScalingSpec& spec,
                  const WindowLoad& load) {
  line.number(keys.observed, observed(spec, load));
  line.number(spec.is_seed ? keys.total : keys.per_pod, spec.is_seed ? load.total : load.per_pod);
  line.number(keys.queued, load.queued).integer(keys.known, load.covered_seconds);
}

/// `known`: the seconds that are known if the line does not say it.
Result<void> read_window(const json::Object& line, const Keys& keys, const ScalingSpec& spec,
                         PodCount pods, Duration window, Duration known, WindowLoad& load) {
  double& mine = spec.is_seed ? load.per_pod : load.total;
  double& other = spec.is_seed ? load.total : load.per_pod;
  const char* const other_key = spec.is_seed ? keys.total : keys.per_pod;
  BELLOWS_TRY(mine, line.number(keys.observed, kLoads));
  other = spec.is_seed ? mine * pods : mine / pods;
  if (line.has(other_key)) {
    BELLOWS_TRY(other, line.number(other_key, kLoads));
  }
  if (line.has(keys.queued)) {
    BELLOWS_TRY(load.queued, line.number(keys.queued, kLoads));
  }
  load.covered_seconds = whole_seconds(known);
  if (line.has(keys.known)) {
    BELLOWS_TRY(const auto seconds, line.integer(keys.known, 0, whole_seconds(window)));
    load.covered_seconds = static_cast<std::int32_t>(seconds);
  }
  return {};
}

}  // namespace

void write_seen(json::Writer& line, const Decision& decision) {
  write_window(line, kStable, decision.spec, decision.seen.stable);
  write_window(line, kPanic, decision.spec, decision.seen.panic);
  FieldWriter writer(line, decision.at);
  for_each_field(decision.seen, writer);
}

Result<void> read_given_averages(const json::Object& line, const ScalingSpec& spec,
                                 Observation& seen) {
  const PodCount pods = counted_pods(spec, seen);
  BELLOWS_CHECKED(
      read_window(line, kStable, spec, pods, spec.stable_window, spec.stable_window, seen.stable));
  const Duration known =
      std::min<Duration>(std::chrono::seconds(seen.stable.covered_seconds), spec.panic_window);
  return read_window(line, kPanic, spec, pods, spec.panic_window, known, seen.panic);
}

Result<void> read_seen(const json::Object& line, TimePoint at, Observation& seen) {
  FieldReader reader(line, at, 0);
  for_each_field(seen, reader);
  return reader.result();
}

void write_answer(json::Writer& line, const Decision& decision, double at) {
  line.number("at", at).flag("valid", decision.is_valid);
  if (decision.is_valid) {
    line.integer("desired", decision.desired)
        .integer("bounded", decision.bounded)
        .number("excess-burst-capacity", decision.burst_capacity)
        .text("mode", to_string(decision.mode))
        .integer("panic-max", decision.after.panic_max)
        .number("stable", observed(decision.spec, decision.seen.stable))
        .number("panic", observed(decision.spec, decision.seen.panic));
  }
  line.integer("want", decision.replicas)
      .text("rule", to_string(decision.rule))
      .text("reason", explain::reason_text(decision));
}

std::string answer_line(const Decision& decision, double at) {
  json::Writer line;
  write_answer(line, decision, at);
  return line.end_line();
}

}  // namespace bellows::autoscaler::journal
