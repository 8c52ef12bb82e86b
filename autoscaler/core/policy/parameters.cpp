#include "autoscaler/core/policy/parameters.hpp"

#include "base/duration_text.hpp"

namespace bellows::autoscaler {

Result<PodCount> count_of(const json::Object& object, std::string_view key, PodCount min,
                          PodCount max) {
  BELLOWS_TRY(const std::int64_t count, object.integer(key, min, max));
  return static_cast<PodCount>(count);
}

Result<Duration> time_of(const json::Object& object, std::string_view key, Duration min,
                         Duration max) {
  BELLOWS_TRY(const Duration value, object.seconds(key));
  if (value >= min && value <= max) return value;
  return fail(
      object.invalid(key, "a time from " + duration_text(min) + " to " + duration_text(max)));
}

Result<std::vector<json::Object>> read_entries(const json::Object& parameters) {
  constexpr std::size_t kMost = 100;
  BELLOWS_TRY(std::vector<json::Object> list, parameters.objects("entries"));
  if (!list.empty() && list.size() <= kMost) return list;
  return fail(parameters.invalid("entries", "1 to " + std::to_string(kMost) + " entries"));
}

Result<Duration> read_cooldown(const json::Object& parameters) {
  if (!parameters.has("cooldown")) return Duration::zero();
  return parameters.seconds("cooldown");
}

Proposal after_cooldown(const PolicyMemory& memory, const PolicyInput& input, Duration cooldown,
                        Proposal proposal) {
  const auto& last = memory.scaled_down;
  const bool is_down = proposal.replicas && *proposal.replicas < memory.wanted;
  if (!is_down || !last || input.now - *last > cooldown) return proposal;
  return {memory.wanted, proposal.reason + ", but it is in cooldown for " +
                             rounded_duration_text(*last + cooldown - input.now)};
}

void note_scale_down(PolicyMemory& memory, const PolicyInput& input, const Proposal& proposal) {
  if (!proposal.replicas || *proposal.replicas == memory.wanted) return;
  if (*proposal.replicas < memory.wanted) memory.scaled_down = input.now;
  memory.wanted = *proposal.replicas;
  memory.changed = input.now;
}

}  // namespace bellows::autoscaler
