// Load balancing: selects the replica of the next request.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "activator/core/pod_tracker.hpp"
#include "base/random.hpp"
#include "config/request_policies.hpp"

namespace bellows::activator {

using Pods = std::span<const std::unique_ptr<PodTracker>>;

/// Picks among the replicas of one revision, which are ordered by name.
class PickPolicy {
 public:
  virtual ~PickPolicy() = default;

  /// Returns a replica that can take a request now, or nullptr.
  virtual PodTracker* pick(Pods pods, TimePoint now) = 0;
};

/// Picks the replica with the fewest requests in flight, those of other callers included; among
/// equals one of this activator's slice, in turns. With late binding all replicas are equally busy.
/// O(replicas).
class LeastLoaded final : public PickPolicy {
 public:
  /// `random` must outlive it. It decides where the first search begins; otherwise activators
  /// without an index would all begin at the first replica.
  explicit LeastLoaded(Random& random) : random_(random) {}
  PodTracker* pick(Pods pods, TimePoint now) override;

 private:
  Random& random_;
  std::optional<std::size_t> next_;  // start of the search, so that equals are used in turns
};

/// Power of two choices: picks the one of two random replicas with fewer of this activator's
/// requests, and at random between equals. If neither can take a request, it picks the next one
/// that can.
class RandomChoice2 final : public PickPolicy {
 public:
  /// `random` must outlive it.
  explicit RandomChoice2(Random& random) : random_(random) {}
  PodTracker* pick(Pods pods, TimePoint now) override;

 private:
  Random& random_;
};

/// Picks the first replica with a free slot. It fills the first replicas, so that the last ones are
/// idle and can be removed.
class FirstAvailable final : public PickPolicy {
 public:
  PodTracker* pick(Pods pods, TimePoint now) override;
};

/// Picks one replica after the other, and skips those that can take no request.
class RoundRobin final : public PickPolicy {
 public:
  PodTracker* pick(Pods pods, TimePoint now) override;

 private:
  std::size_t next_ = 0;
};

/// Returns true if load reports of replicas are used for the choice and for their slots. Knative's
/// policies use only this activator's own requests, and share the slots by slices instead.
bool uses_reported_load(config::LoadBalancing choice);

/// Makes the policy. `random` must outlive it.
std::unique_ptr<PickPolicy> make_pick_policy(config::LoadBalancing choice,
                                             std::int32_t container_concurrency, Random& random);

}  // namespace bellows::activator
