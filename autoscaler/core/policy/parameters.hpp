// What several policies share: values that they read, whose errors name key, value and what is
// valid, and a pause between two scale-downs.
#pragma once

#include <string_view>
#include <vector>

#include "autoscaler/core/policy/policy.hpp"
#include "autoscaler/triggers/rooms.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler {

/// Reads a number of replicas, or of what they take.
Result<PodCount> count_of(const json::Object& object, std::string_view key, PodCount min = 0,
                          PodCount max = kMaxReplicas);

/// Reads a time from `min` to `max`.
Result<Duration> time_of(const json::Object& object, std::string_view key, Duration min,
                         Duration max);

/// Reads the list `entries`, which has 1 to 100 objects: each decision looks at all of them, and so
/// does each page.
Result<std::vector<json::Object>> read_entries(const json::Object& parameters);

/// Reads the key `cooldown`, zero without it.
Result<Duration> read_cooldown(const json::Object& parameters);

/// Returns `proposal`, or what was proposed last while that is more and the last scale-down is at
/// most `cooldown` ago.
Proposal after_cooldown(const PolicyMemory& memory, const PolicyInput& input, Duration cooldown,
                        Proposal proposal);

/// Records a proposal, and when it is less than the one before.
void note_scale_down(PolicyMemory& memory, const PolicyInput& input, const Proposal& proposal);

}  // namespace bellows::autoscaler
