// Reserves room on the machine for the next replica of the busiest service: collects the replicas
// and needs of the services, plans (slack/machine), and reports to the autoscaler and the status.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/room_source.hpp"
#include "base/replica_size.hpp"
#include "cluster/core/revision.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "slack/machine/machine_plan.hpp"

namespace bellows::machine {

/// The maximum that the replicas may take together, and a remark about it.
struct MachineCapacity {
  slack::Resources amounts{slack::kNotCounted, slack::kNotCounted, slack::kNotCounted};
  std::string note{};  ///< a setting that exceeds the machine; empty: none
};

/// Computes it from the settings `cpu` and `memory`, and from the size of the machine, `has`. An
/// unset setting means that size, 0 that the amount is unlimited.
MachineCapacity capacity_of(std::optional<Millicores> cpu, std::optional<Bytes> memory,
                            const ReplicaSize& has);

/// Owner: the machine. Thread: the io thread. Plans for decisions once in kPlanPeriod, earlier if
/// services were added or removed, and for each status.
class RoomKeeper final : public autoscaler::RoomSource {
 public:
  static constexpr Duration kPlanPeriod = std::chrono::seconds(1);
  /// At most one plan in that time because services were added or removed, or one each time their
  /// number grows by 1/kShareOfNew. The work thus grows with their number instead of its square.
  static constexpr Duration kNewPlanPeriod = std::chrono::milliseconds(20);
  static constexpr std::size_t kShareOfNew = 50;
  /// Returns the recommended size of the next replica; empty: the settings have it.
  using NextSize = std::function<ReplicaSize(const RevisionId&)>;

  /// `registry` and `metrics` outlive it.
  RoomKeeper(const autoscaler::RevisionRegistry& registry, MachineCapacity capacity,
             NextSize next_size, metrics::prometheus::Registry& metrics);

  /// Returns nothing while no service has a size.
  autoscaler::RoomSeen room_of(const RevisionId& revision, TimePoint now) override;

  /// Returns "machine" of /v1/status (docs/formats/status.md); empty while no service has a size.
  std::string status(TimePoint now);

 private:
  void plan_if_due(TimePoint now);
  void plan(TimePoint now);
  void tell();

  const autoscaler::RevisionRegistry& registry_;
  const MachineCapacity capacity_;
  const NextSize next_size_;
  std::optional<TimePoint> planned_;
  std::size_t planned_revisions_ = 0;
  bool is_sized_ = false;  // a service has a size
  slack::MachinePlan plan_;
  std::unordered_map<std::string_view, const slack::ServiceRoom*> by_name_;  // of plan_
  std::set<std::string> told_;  // logged problems that still hold
  std::vector<metrics::prometheus::Listing> series_;
};

/// Returns a revision as the plan sees it. `next`: the recommended size of its next replica.
slack::MachineService machine_service(const autoscaler::ScaledRevision& revision,
                                      const ReplicaSize& next);

}  // namespace bellows::machine
