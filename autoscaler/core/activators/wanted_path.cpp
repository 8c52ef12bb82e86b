#include "autoscaler/core/activators/wanted_path.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "autoscaler/core/activators/activator_subset.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kLittleRoom = "the replicas have too little room for a burst";

bool may_still_report(const Decision& decision) {
  const auto& since = decision.after.load_unknown_since;
  return since && decision.at - *since < kPathSettles;
}

/// Why activators are in the path; empty: they are not.
std::string_view reason_for_activators(const Decision& decision) {
  if (decision.replicas == 0) return "no replica is wanted";
  if (decision.seen.ready == 0) return "no replica is ready";
  if (decision.rule == Rule::kGrace && !may_still_report(decision)) {
    return "the last replica is about to go";
  }
  if (decision.burst_capacity < 0) return kLittleRoom;
  return {};
}

/// Returns the reason of the path as it stays. The room for a burst goes up and down with each
/// decision, and a reason that does so too is written to the cluster each time.
std::string reason_for_path(PathMemory& memory, std::string_view reason) {
  if (!reason.empty()) memory.has_little_room = reason == kLittleRoom;
  if (!memory.is_through) memory.has_little_room = false;
  if (memory.has_little_room) return std::string(kLittleRoom);
  if (!reason.empty()) return std::string(reason);
  return memory.is_through ? "the replicas have room, but not for long yet"
                           : "the replicas have room";
}

bool stays_through(PathMemory& memory, bool is_needed, const Decision& decision) {
  const TimePoint now = decision.at;
  if (!std::exchange(memory.is_begun, true))
    memory.is_through = decision.seen.does_activator_answer;
  if (is_needed) {
    memory.spare_since.reset();
    memory.is_through = true;
  } else {
    if (!memory.spare_since) memory.spare_since = now;
    if (now - *memory.spare_since >= kPathSettles) memory.is_through = false;
  }
  return memory.is_through;
}

}  // namespace

cluster::PathOrder wanted_path(const Decision& decision, const RevisionId& revision,
                               const std::vector<PodName>& activators, PathMemory& memory) {
  cluster::PathOrder order;
  const std::string_view reason = reason_for_activators(decision);
  order.is_through_activators = stays_through(memory, !reason.empty(), decision);
  order.reason = reason_for_path(memory, reason);
  const PodCount count = desired_activators(decision.spec, decision.seen.ready);
  std::vector<std::string> names;
  names.reserve(activators.size());
  for (const PodName& name : activators) names.push_back(name.text());
  for (const std::string& name :
       activator_subset(names, revision.text(), static_cast<std::size_t>(count))) {
    order.activators.emplace_back(name);
  }
  return order;
}

}  // namespace bellows::autoscaler
