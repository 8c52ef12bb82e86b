// When to say that a certificate ends soon. Pure.
#pragma once

#include <array>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// Each is said once, also if several are passed at the first look.
inline constexpr std::array<std::chrono::days, 3> kExpiryNotices{
    std::chrono::days(30), std::chrono::days(7), std::chrono::days(1)};

/// The least of kExpiryNotices that `left` has fallen below, unless it was `said` already; nullopt:
/// nothing to say.
std::optional<std::chrono::days> expiry_notice(Duration left,
                                               std::optional<std::chrono::days> said);

}  // namespace bellows::activator
