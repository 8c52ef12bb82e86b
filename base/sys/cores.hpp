// How many processors this process may use.
#pragma once

#include <cstddef>
#include <string>

namespace bellows::sys {

/// The processors that its affinity allows, or what the CPU quotas of its control group and those
/// above it leave of them, rounded up. At least 1. `root`: in front of /proc and /sys, for tests.
std::size_t usable_cores(const std::string& root = "");

}  // namespace bellows::sys
