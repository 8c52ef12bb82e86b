// Number of processors that this process may use.
#pragma once

#include <cstddef>
#include <string>

namespace bellows::sys {

/// Returns the number of processors that the CPU affinity allows, limited by the CPU quotas of the
/// control group and its ancestors, rounded up and at least 1. `root` is a prefix of /proc and
/// /sys, for tests.
std::size_t usable_cores(const std::string& root = "");

}  // namespace bellows::sys
