// Which replica the next request goes to.
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

/// A choice among the replicas of one revision, which are ordered by name.
class PickPolicy {
 public:
  virtual ~PickPolicy() = default;

  /// One that can take a request now, or nullptr if none can.
  virtual PodTracker* pick(Pods pods, TimePoint now) = 0;
};

/// The one with the fewest requests in flight, those of other callers included; among equals those
/// of this activator's slice, which take turns. With late binding it keeps every replica as busy as
/// the others. O(replicas).
class LeastLoaded final : public PickPolicy {
 public:
  /// `random`, which outlives it, says where the first search begins: activators that do not know
  /// which one they are would all begin at the first replica.
  explicit LeastLoaded(Random& random) : random_(random) {}
  PodTracker* pick(Pods pods, TimePoint now) override;

 private:
  Random& random_;
  std::optional<std::size_t> next_;  // where the search begins, so that equals take turns
};

/// The one of two picked by chance that has fewer of this activator's requests; chance decides
/// between equals. If neither can take one: the next that can.
class RandomChoice2 final : public PickPolicy {
 public:
  /// `random` outlives it.
  explicit RandomChoice2(Random& random) : random_(random) {}
  PodTracker* pick(Pods pods, TimePoint now) override;

 private:
  Random& random_;
};

/// The first with a free slot: packs the first replicas, so that the last are idle and may go.
class FirstAvailable final : public PickPolicy {
 public:
  PodTracker* pick(Pods pods, TimePoint now) override;
};

/// One after the other, passing over those that can take nothing.
class RoundRobin final : public PickPolicy {
 public:
  PodTracker* pick(Pods pods, TimePoint now) override;

 private:
  std::size_t next_ = 0;
};

/// True if what replicas tell about their load counts for choosing and for their slots. Knative's
/// policies go by this activator's requests alone, and share slots by slices instead.
bool goes_by_told_load(config::LoadBalancing choice);

/// `random` outlives it.
std::unique_ptr<PickPolicy> make_pick_policy(config::LoadBalancing choice,
                                             std::int32_t container_concurrency, Random& random);

}  // namespace bellows::activator
