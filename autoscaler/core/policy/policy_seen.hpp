// What policies other than `concurrency` observe of a revision.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/triggers/rooms.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// A number that replicas report: players, jobs, sessions.
struct CounterSum {
  double count = 0;
  double capacity = 0;    ///< of those that report one
  PodCount replicas = 0;  ///< that report
  PodCount sized = 0;     ///< that report a capacity too

  bool operator==(const CounterSum&) const = default;
};

/// The newest answer of a webhook, or why there is none.
struct WebhookAnswer {
  std::string url;
  std::optional<PodCount> replicas = {};  ///< of the last good answer
  Duration age{};                         ///< of that answer
  std::string failure = {};               ///< of the last request, if it failed

  bool operator==(const WebhookAnswer&) const = default;
};

struct PolicySeen {
  WallTime wall;  ///< the calendar at the decision
  Rooms rooms;
  PodCount kept = 0;        ///< replicas that a scale-down must leave: occupied, or unreported
  PodCount unreported = 0;  ///< of them, those that have not said what they do
  std::optional<Consumption> cpu;     ///< cores of the ready replicas that are measured
  std::optional<Consumption> memory;  ///< bytes, the same
  std::optional<CounterSum> counter;
  std::vector<WebhookAnswer> answers;

  bool operator==(const PolicySeen&) const = default;
};

/// A PolicySeen that is shared and never changed, or none; compared by value. Owners: an
/// observation and its copies.
class PolicySeenPtr {
 public:
  PolicySeenPtr() = default;
  explicit PolicySeenPtr(PolicySeen seen)
      : seen_(std::make_shared<const PolicySeen>(std::move(seen))) {}

  const PolicySeen* get() const { return seen_.get(); }
  const PolicySeen* operator->() const { return seen_.get(); }
  explicit operator bool() const { return seen_ != nullptr; }
  bool operator==(const PolicySeenPtr& other) const {
    if (seen_ == other.seen_) return true;
    return seen_ && other.seen_ && *seen_ == *other.seen_;
  }

 private:
  std::shared_ptr<const PolicySeen> seen_;
};

}  // namespace bellows::autoscaler
