// Values that several policies read, of their parameters and of what they remember. An error names
// key, value and what is valid.
#pragma once

#include <optional>
#include <string_view>

#include "autoscaler/triggers/rooms.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler {

/// A number of replicas, or of what they take.
Result<PodCount> count_of(const json::Object& object, std::string_view key, PodCount min = 0,
                          PodCount max = kMaxReplicas);

/// A time from `min` to `max`.
Result<Duration> time_of(const json::Object& object, std::string_view key, Duration min,
                         Duration max);

/// The instant so many seconds before `at`; nothing without the key.
Result<std::optional<TimePoint>> instant_of(const json::Object& object, std::string_view key,
                                            TimePoint at);

}  // namespace bellows::autoscaler
