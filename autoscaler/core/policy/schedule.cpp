// Policy `schedule`: numbers of replicas by the calendar. Beside another policy it is a floor,
// because the maximum holds.
#include <algorithm>

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

/// What holds between two changes of the schedule: a cron expression is not searched twice. It
/// follows from the calendar alone, so nothing of it is saved.
struct ScheduleMemory final : PolicyMemory {
  WallTime from;
  WallTime until;  // not included
  PodCount replicas = 0;

  bool holds(WallTime at) const { return from <= at && at < until; }
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
    const auto& known = static_cast<const ScheduleMemory&>(*memory);
    const WallTime at = input.more.wall;
    const PodCount replicas = known.holds(at) ? known.replicas : replicas_at(at);
    return {replicas, std::to_string(replicas) + " by the schedule"};
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    auto& known = static_cast<ScheduleMemory&>(memory);
    const WallTime at = input.more.wall;
    if (known.holds(at)) return;
    known.from = at;
    known.until = next_change(at).value_or(WallTime::max());
    known.replicas = proposal.replicas.value_or(0);
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
    BELLOWS_TRY(const std::int64_t replicas, object.integer("replicas", 1, 1'000'000));
    entries.push_back({span, static_cast<PodCount>(replicas)});
  }
  return std::make_shared<const Schedule>(std::move(zone), std::move(entries));
}

}  // namespace

PolicyType schedule_policy();
PolicyType schedule_policy() {
  return {.name = "schedule", .make = make_schedule};
}

}  // namespace bellows::autoscaler
