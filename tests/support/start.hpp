// The time at which tests begin that move it by hand.
#pragma once

#include "base/time.hpp"

namespace bellows::test {

/// Not the first instant that there is, because code may look back from it.
inline constexpr TimePoint kStart{std::chrono::hours(24)};

}  // namespace bellows::test
