// Policy `buffer`: the occupied replicas and a number of free ones, as Maestro v10 and Agones have
// it. Scaling down waits for a cooldown; scaling up does not.
#include <algorithm>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/fixed_targets.hpp"
#include "autoscaler/triggers/trigger_config.hpp"

namespace bellows::autoscaler {
namespace {

class Buffer final : public Policy {
 public:
  Buffer(PodCount amount, Duration cooldown) : amount_(amount), cooldown_(cooldown) {}

  Proposal propose(const PolicyInput& input, const PolicyMemory& memory) const override {
    const Rooms& rooms = input.more.rooms;
    const PodCount wanted = triggers::buffered(rooms.occupied, amount_);
    const std::string why =
        std::to_string(rooms.occupied) + " occupied and " + std::to_string(amount_) + " free";
    return after_cooldown(memory, input, cooldown_, {wanted, why});
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    note_scale_down(memory, input, proposal);
  }

 private:
  PodCount amount_;
  Duration cooldown_;
};

Result<PolicyPtr> make_buffer(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "amount", "cooldown"}));
  BELLOWS_TRY(const PodCount amount, count_of(parameters, "amount", 1, 1'000'000));
  BELLOWS_TRY(const Duration cooldown, read_cooldown(parameters));
  return std::make_shared<const Buffer>(amount, cooldown);
}

}  // namespace

PolicyType buffer_policy() {
  return {.name = "buffer", .make = make_buffer};
}

}  // namespace bellows::autoscaler
