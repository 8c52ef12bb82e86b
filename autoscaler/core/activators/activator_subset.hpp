// How many activators share a revision's requests, and which.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// At least two. More if the ready replicas and the spare capacity hold more requests than two
/// activators take: ceil((ready * total + target-burst-capacity) / 100). With a
/// target-burst-capacity of 0 the activators only trigger scaling from zero, and two are enough
/// (knative.md 3.1).
PodCount desired_activators(const ScalingSpec& spec, PodCount ready);

/// Returns `count` of the activators' addresses, sorted; all of them if `count` is 0 or not smaller
/// than their number. The same revision gets the same subset, and nearly the same one after an
/// activator joined or left (knative.md 3.5; the arithmetic of knative.dev/pkg/hash, so that a
/// migrated cluster keeps its choice). Addresses are hashed (FNV-1a, 64 bits) to points on a circle
/// of 2048. Starting at an angle of the revision, the next free point is taken, then the angle
/// advances by a step of the revision.
std::vector<std::string> activator_subset(std::span<const std::string> addresses,
                                          std::string_view revision, std::size_t count);

}  // namespace bellows::autoscaler
