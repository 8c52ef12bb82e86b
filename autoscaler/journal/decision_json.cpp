#include "autoscaler/journal/decision_json.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/core/load/counted_pods.hpp"
#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/journal/field_json.hpp"
#include "autoscaler/journal/policy_json.hpp"

namespace bellows::autoscaler::journal {
namespace {

constexpr json::Range kLoads{0, 1e15};

/// The keys of a load. The observed average is that of the whole revision for Knative and that of
/// one replica for the seed; the other one has a key of its own.
struct Average {
  const char* key;
  const char* other_key;
  double WindowLoad::*observed;
  double WindowLoad::*other;
};

bool is_per_pod(const ScalingSpec& spec) {
  return spec.is_seed;
}

Average stable_of(const ScalingSpec& spec) {
  if (is_per_pod(spec)) return {"stable", "stable-total", &WindowLoad::per_pod, &WindowLoad::total};
  return {"stable", "stable-per-pod", &WindowLoad::total, &WindowLoad::per_pod};
}

Average panic_of(const ScalingSpec& spec) {
  if (is_per_pod(spec)) return {"panic", "panic-total", &WindowLoad::per_pod, &WindowLoad::total};
  return {"panic", "panic-per-pod", &WindowLoad::total, &WindowLoad::per_pod};
}

void write_average(json::Writer& line, const Average& average, const WindowLoad& load) {
  line.number(average.key, load.*average.observed);
  line.number(average.other_key, load.*average.other);
}

Result<void> read_average(const json::Object& line, const Average& average, double other,
                          WindowLoad& load) {
  BELLOWS_TRY(load.*average.observed, line.number(average.key, kLoads));
  load.*average.other = load.*average.observed * other;
  if (line.has(average.other_key)) {
    BELLOWS_TRY(load.*average.other, line.number(average.other_key, kLoads));
  }
  return {};
}

Result<void> read_queued(const json::Object& line, const char* key, WindowLoad& load) {
  if (!line.has(key)) return {};
  BELLOWS_TRY(load.queued, line.number(key, kLoads));
  return {};
}

std::int32_t whole_seconds(Duration duration) {
  return static_cast<std::int32_t>(duration / std::chrono::seconds(1));
}

Result<void> read_known(const json::Object& line, const char* key, Duration window,
                        std::int32_t& known) {
  if (!line.has(key)) return {};
  BELLOWS_TRY(const std::int64_t seconds, line.integer(key, 0, whole_seconds(window)));
  known = static_cast<std::int32_t>(seconds);
  return {};
}

}  // namespace

void write_seen(json::Writer& line, const Decision& decision) {
  const Observation& seen = decision.seen;
  write_average(line, stable_of(decision.spec), seen.stable);
  write_average(line, panic_of(decision.spec), seen.panic);
  line.number("stable-queued", seen.stable.queued).number("panic-queued", seen.panic.queued);
  line.integer("known-seconds", seen.stable.covered_seconds);
  line.integer("panic-known-seconds", seen.panic.covered_seconds);
  FieldWriter writer(line, decision.at);
  for_each_field(seen, writer);
  if (seen.policy) write_policy_seen(line, *seen.policy.get());
}

Result<void> read_given_averages(const json::Object& line, const ScalingSpec& spec,
                                 Observation& seen) {
  const double pods = counted_pods(spec, seen);
  const double other = is_per_pod(spec) ? pods : 1 / pods;
  BELLOWS_CHECKED(read_average(line, stable_of(spec), other, seen.stable));
  BELLOWS_CHECKED(read_average(line, panic_of(spec), other, seen.panic));
  BELLOWS_CHECKED(read_queued(line, "stable-queued", seen.stable));
  BELLOWS_CHECKED(read_queued(line, "panic-queued", seen.panic));
  seen.stable.covered_seconds = whole_seconds(spec.stable_window);
  BELLOWS_CHECKED(
      read_known(line, "known-seconds", spec.stable_window, seen.stable.covered_seconds));
  seen.panic.covered_seconds =
      std::min(seen.stable.covered_seconds, whole_seconds(spec.panic_window));
  return read_known(line, "panic-known-seconds", spec.panic_window, seen.panic.covered_seconds);
}

Result<void> read_seen(const json::Object& line, TimePoint at, Observation& seen) {
  FieldReader reader(line, at, 0);
  for_each_field(seen, reader);
  BELLOWS_CHECKED(reader.result());
  if (!line.has("policy")) return {};
  BELLOWS_TRY(PolicySeen more, read_policy_seen(line));
  seen.policy = PolicySeenPtr(std::move(more));
  return {};
}

void write_answer(json::Writer& line, const Decision& decision, double at) {
  line.number("at", at).flag("valid", decision.is_valid);
  if (decision.is_valid) {
    line.integer("desired", decision.desired)
        .integer("bounded", decision.bounded)
        .number("excess-burst-capacity", decision.burst_capacity)
        .text("mode", to_string(decision.mode))
        .integer("panic-max", decision.after.panic_max)
        .number("stable", decision.seen.stable.*stable_of(decision.spec).observed)
        .number("panic", decision.seen.panic.*panic_of(decision.spec).observed);
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
