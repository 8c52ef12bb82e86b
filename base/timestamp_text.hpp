// Timestamps as Kubernetes writes them: 2026-01-01T00:00:00Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows {

/// Whole seconds, UTC; fractions are truncated as in Kubernetes.
std::string timestamp_text(WallTime time);

/// With six digits of a fraction, "2026-01-01T00:00:00.000000Z": MicroTime of Leases and events.
std::string micro_timestamp_text(WallTime time);

/// RFC 3339 with a "Z", with or without a fraction of up to 9 digits; nothing if it is not valid or
/// outside the range of WallTime.
std::optional<WallTime> parse_timestamp(std::string_view text);

}  // namespace bellows
