// How many activators share a revision's requests, and which.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Two at least. More when what the ready replicas and the spare room hold is more than two
/// activators take: ceil((ready * total + target-burst-capacity) / activator-capacity); with a
/// target-burst-capacity of 0 the activators only wake it, and two are enough (knative.md 3.1).
PodCount activators_wanted(const ScalingSpec& spec, PodCount ready);

/// `count` of the activators' addresses, sorted; all of them for a count of 0 or one that is not
/// smaller. The same revision gets the same ones, and nearly the same when some come or go
/// (knative.md 3.5; the arithmetic of knative.dev/pkg/hash, so that a cluster that is migrated
/// keeps its choice): addresses and revision are hashed (FNV-1a, 64 bits) to points on a circle of
/// 2048; from an angle of the revision on, the next free point is taken, and the angle goes on by a
/// step of the revision.
std::vector<std::string> activator_subset(std::span<const std::string> addresses,
                                          std::string_view revision, std::size_t count);

}  // namespace bellows::autoscaler
