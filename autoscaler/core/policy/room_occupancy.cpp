// Policy `roomOccupancy`: a share of the replicas stays free, as Maestro v10 has it.
#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/fixed_targets.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "base/number_text.hpp"

namespace bellows::autoscaler {
namespace {

struct OccupancySettings {
  double ready_target = 0;
  double down_threshold = 0;
  PodCount per_replica = 1;
  Duration cooldown{};
};

class RoomOccupancy final : public Policy {
 public:
  explicit RoomOccupancy(const OccupancySettings& settings) : settings_(settings) {}

  Proposal propose(const PolicyInput& input, const PolicyMemory& memory) const override {
    const Rooms rooms = as_ordered(input.more.rooms, input.replicas);
    const PodCount matches = matches_of(input);
    const PodCount places =
        whole_pods(static_cast<double>(rooms.available()) * settings_.per_replica, 0);
    const PodCount desired =
        triggers::with_free_share(matches, settings_.ready_target, settings_.per_replica);
    const std::string why = std::to_string(matches) + " of " + std::to_string(places) +
                            " places are taken; " + std::to_string(desired) + " replicas leave " +
                            readable_text(settings_.ready_target * 100) + " % free";
    const bool may_go = triggers::may_scale_down(desired, settings_.ready_target, places - matches,
                                                 settings_.down_threshold, settings_.per_replica);
    if (desired < rooms.available() && !may_go) {
      return {rooms.available(), why + ", but that is less than downThreshold below"};
    }
    return after_cooldown(memory, input, settings_.cooldown, {desired, why});
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    note_scale_down(memory, input, proposal);
  }

 private:
  PodCount matches_of(const PolicyInput& input) const {
    const bool is_counted = settings_.per_replica > 1 && input.more.counter;
    const double taken = static_cast<double>(input.more.rooms.occupied) * settings_.per_replica;
    return whole_pods(is_counted ? input.more.counter->count : taken, 0);
  }

  OccupancySettings settings_;
};

Result<double> share(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const double value, object.number(key));
  if (value > 0 && value < 1) return value;
  return fail(object.invalid(key, "a number above 0 and below 1"));
}

Result<PolicyPtr> make_room_occupancy(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(
      parameters, {"type", "readyTarget", "downThreshold", "maxMatchesPerRoom", "cooldown"}));
  OccupancySettings settings;
  BELLOWS_TRY(settings.ready_target, share(parameters, "readyTarget"));
  BELLOWS_TRY(settings.down_threshold, share(parameters, "downThreshold"));
  if (parameters.has("maxMatchesPerRoom")) {
    BELLOWS_TRY(settings.per_replica, count_of(parameters, "maxMatchesPerRoom", 1, 10'000));
  }
  BELLOWS_TRY(settings.cooldown, read_cooldown(parameters));
  return std::make_shared<const RoomOccupancy>(settings);
}

}  // namespace

PolicyType room_occupancy_policy() {
  return {.name = "roomOccupancy", .make = make_room_occupancy};
}

}  // namespace bellows::autoscaler
