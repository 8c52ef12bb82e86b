// Policy `schedule`: numbers of replicas by the calendar. Beside another policy it is a floor,
// because the maximum holds.
#include <algorithm>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/core/policy/span_schedule.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

struct Entry {
  RepeatedSpan span;
  PodCount replicas = 0;
};

class Schedule final : public Policy {
 public:
  Schedule(cctz::time_zone zone, std::vector<Entry> entries)
      : zone_(zone), entries_(std::move(entries)) {}

  Proposal propose(const PolicyInput& input, const PolicyMemory& /*memory*/) const override {
    const PodCount replicas = replicas_at(input.more.wall);
    return {replicas, std::to_string(replicas) + " by the schedule"};
  }

  std::string ahead(const PolicySeen& seen) const override {
    constexpr int kMostChanges = 16;  // entries that overlap change nothing together
    const PodCount now = replicas_at(seen.wall);
    auto change = next_change(seen.wall);
    for (int i = 0; change && i < kMostChanges; ++i) {
      const PodCount then = replicas_at(*change);
      if (then != now) {
        return "schedule: " + std::to_string(then) + " from " + local_text(zone_, *change) +
               ", in " + rounded_duration_text(*change - seen.wall);
      }
      change = next_change(*change);
    }
    return {};
  }

 private:
  PodCount replicas_at(WallTime at) const {
    PodCount most = 0;
    for (const Entry& entry : entries_) {
      if (entry.span.holds(at)) most = std::max(most, entry.replicas);
    }
    return most;
  }

  std::optional<WallTime> next_change(WallTime at) const {
    std::optional<WallTime> first;
    for (const Entry& entry : entries_) {
      const auto change = entry.span.next_change(at);
      if (change && (!first || *change < *first)) first = change;
    }
    return first;
  }

  cctz::time_zone zone_;
  std::vector<Entry> entries_;
};

Result<PolicyPtr> make_schedule(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "timezone", "entries"}));
  BELLOWS_TRY(const cctz::time_zone zone, read_zone(parameters));
  BELLOWS_TRY(const std::vector<json::Object> list, read_entries(parameters));
  std::vector<Entry> entries;
  for (const json::Object& object : list) {
    BELLOWS_CHECKED(triggers::only_known(object, {"from", "to", "for", "replicas"}));
    BELLOWS_TRY(RepeatedSpan span, RepeatedSpan::read(object, zone));
    BELLOWS_TRY(const PodCount replicas, count_of(object, "replicas", 1, 1'000'000));
    entries.push_back({span, replicas});
  }
  return std::make_shared<const Schedule>(zone, std::move(entries));
}

}  // namespace

PolicyType schedule_policy() {
  return {.name = "schedule", .make = make_schedule};
}

}  // namespace bellows::autoscaler
