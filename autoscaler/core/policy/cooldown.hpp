// A pause between two scale-downs, for policies without one of their own.
#pragma once

#include <memory>
#include <optional>

#include "autoscaler/core/policy/policy.hpp"

namespace bellows::autoscaler {

/// The memory of such a policy.
struct LastScaleDown final : PolicyMemory {
  std::optional<TimePoint> at;
  PodCount wanted = 0;  ///< as proposed last

  std::unique_ptr<PolicyMemory> clone() const override;
  void write(json::Writer& out, TimePoint now) const override;
  void move(Duration by) override;
  static Result<std::unique_ptr<PolicyMemory>> read(const json::Object& object, TimePoint now);
};

/// The key `cooldown`, zero without it.
Result<Duration> read_cooldown(const json::Object& parameters);

/// `proposal`, or what was proposed last while that is more and the last scale-down is at most
/// `cooldown` ago.
Proposal after_cooldown(const PolicyMemory& memory, const PolicyInput& input, Duration cooldown,
                        Proposal proposal);

/// Records a proposal that is less than the one before.
void note_scale_down(PolicyMemory& memory, const PolicyInput& input, const Proposal& proposal);

}  // namespace bellows::autoscaler
