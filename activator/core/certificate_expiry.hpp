// Schedules warnings about certificates that expire soon. Pure.
#pragma once

#include <array>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// Times before the expiry at which to warn, each once, even if several have passed at the first
/// check.
inline constexpr std::array<std::chrono::days, 3> kExpiryNotices{
    std::chrono::days(30), std::chrono::days(7), std::chrono::days(1)};

/// Returns the smallest of kExpiryNotices that `left` has reached, unless it was already `said`;
/// nullopt if no warning is due.
std::optional<std::chrono::days> expiry_notice(Duration left,
                                               std::optional<std::chrono::days> said);

}  // namespace bellows::activator
