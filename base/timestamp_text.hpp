// Timestamps as Kubernetes writes them: 2026-01-01T00:00:00Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows {

/// Returns whole seconds in UTC; fractions are truncated as in Kubernetes.
std::string timestamp_text(WallTime time);

/// Returns six digits of a fraction, "2026-01-01T00:00:00.000000Z": MicroTime of Leases and events.
std::string micro_timestamp_text(WallTime time);

/// Parses RFC 3339 with a "Z", with or without a fraction of up to 9 digits. Returns nullopt if the
/// text is not valid or outside the range of WallTime.
std::optional<WallTime> parse_timestamp(std::string_view text);

}  // namespace bellows
