// Policy `schedule`: numbers of replicas by the calendar. Beside another policy it is a floor,
// because the maximum holds.
#include <algorithm>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/policy.hpp"
#include "autoscaler/core/policy/span_schedule.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

struct Entry {
  RepeatedSpan span;
  PodCount replicas = 0;
};

struct ScheduleMemory final : PolicyMemory {
  Held<PodCount> replicas;

  std::unique_ptr<PolicyMemory> clone() const override {
    return std::make_unique<ScheduleMemory>(*this);
  }
  void write(json::Writer& /*out*/, TimePoint /*at*/) const override {}
  void move(Duration /*by*/) override {}
};

class Schedule final : public Policy {
 public:
  Schedule(TimeZone zone, std::vector<Entry> entries)
      : zone_(std::move(zone)), entries_(std::move(entries)) {}

  std::unique_ptr<PolicyMemory> start() const override {
    return std::make_unique<ScheduleMemory>();
  }
  Result<std::unique_ptr<PolicyMemory>> read(const json::Object& /*object*/,
                                             TimePoint /*at*/) const override {
    return start();
  }

  Proposal propose(const PolicyInput& input, const PolicyMemory* memory) const override {
    const auto& known = static_cast<const ScheduleMemory&>(*memory).replicas;
    const WallTime at = input.more.wall;
    const PodCount replicas = known.knows(at) ? known.value : replicas_at(at);
    return {replicas, std::to_string(replicas) + " by the schedule"};
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    auto& known = static_cast<ScheduleMemory&>(memory).replicas;
    const WallTime at = input.more.wall;
    if (known.knows(at)) return;
    known = {at, next_change(at).value_or(WallTime::max()), proposal.replicas.value_or(0)};
  }

  std::string ahead(const PolicySeen& seen) const override {
    constexpr int kMostChanges = 16;  // entries that overlap change nothing together
    const PodCount now = replicas_at(seen.wall);
    auto change = next_change(seen.wall);
    for (int i = 0; change && i < kMostChanges; ++i) {
      const PodCount then = replicas_at(*change);
      if (then != now) {
        return "schedule: " + std::to_string(then) + " from " + zone_.text(*change) + ", in " +
               rounded_duration_text(*change - seen.wall);
      }
      change = next_change(*change);
    }
    return {};
  }

 private:
  PodCount replicas_at(WallTime at) const {
    PodCount most = 0;
    for (const Entry& entry : entries_) {
      if (entry.span.holds(zone_, at)) most = std::max(most, entry.replicas);
    }
    return most;
  }

  std::optional<WallTime> next_change(WallTime at) const {
    std::optional<WallTime> first;
    for (const Entry& entry : entries_) {
      const auto change = entry.span.next_change(zone_, at);
      if (change && (!first || *change < *first)) first = change;
    }
    return first;
  }

  TimeZone zone_;
  std::vector<Entry> entries_;
};

Result<PolicyPtr> make_schedule(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "timezone", "entries"}));
  BELLOWS_TRY(TimeZone zone, read_zone(parameters));
  BELLOWS_TRY(const std::vector<json::Object> list, parameters.objects("entries"));
  if (list.empty()) return fail(parameters.invalid("entries", "at least one entry"));
  std::vector<Entry> entries;
  for (const json::Object& object : list) {
    BELLOWS_CHECKED(triggers::only_known(object, {"from", "to", "for", "replicas"}));
    BELLOWS_TRY(RepeatedSpan span, RepeatedSpan::read(object));
    BELLOWS_TRY(const PodCount replicas, count_of(object, "replicas", 1, 1'000'000));
    entries.push_back({span, replicas});
  }
  return std::make_shared<const Schedule>(std::move(zone), std::move(entries));
}

}  // namespace

PolicyType schedule_policy();
PolicyType schedule_policy() {
  return {.name = "schedule", .make = make_schedule};
}

}  // namespace bellows::autoscaler
