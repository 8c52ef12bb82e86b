#include "autoscaler/core/policy/cooldown.hpp"

#include <utility>

#include "autoscaler/core/policy/parameters.hpp"
#include "base/duration_text.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler {

std::unique_ptr<PolicyMemory> LastScaleDown::clone() const {
  return std::make_unique<LastScaleDown>(*this);
}

void LastScaleDown::write(json::Writer& out, TimePoint now) const {
  out.integer("wanted", wanted);
  if (at) out.number("down-age", json::seconds_number(now - *at));
}

void LastScaleDown::move(Duration by) {
  if (at) *at += by;
}

Result<std::unique_ptr<PolicyMemory>> LastScaleDown::read(const json::Object& object,
                                                          TimePoint now) {
  auto memory = std::make_unique<LastScaleDown>();
  BELLOWS_TRY(memory->wanted, count_of(object, "wanted"));
  BELLOWS_TRY(memory->at, instant_of(object, "down-age", now));
  return std::unique_ptr<PolicyMemory>(std::move(memory));
}

Result<Duration> read_cooldown(const json::Object& parameters) {
  if (!parameters.has("cooldown")) return Duration::zero();
  return parameters.seconds("cooldown");
}

Proposal after_cooldown(const PolicyMemory& memory, const PolicyInput& input, Duration cooldown,
                        Proposal proposal) {
  const auto& last = static_cast<const LastScaleDown&>(memory);
  const bool is_down = proposal.replicas && *proposal.replicas < last.wanted;
  if (!is_down || !last.at || input.now - *last.at > cooldown) return proposal;
  return {last.wanted, proposal.reason + ", but it is in cooldown for " +
                           rounded_duration_text(*last.at + cooldown - input.now)};
}

void note_scale_down(PolicyMemory& memory, const PolicyInput& input, const Proposal& proposal) {
  auto& last = static_cast<LastScaleDown&>(memory);
  if (!proposal.replicas) return;
  if (*proposal.replicas < last.wanted) last.at = input.now;
  last.wanted = *proposal.replicas;
}

}  // namespace bellows::autoscaler
