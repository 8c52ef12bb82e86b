// Reads measured usage as workloads.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "recommender/score/workload.hpp"

namespace bellows::recommender::score {

/// Reads CSV lines "seconds,container,cpu_cores,memory_bytes", optionally with that header line.
/// Each container is a workload named "FILE:CONTAINER", in the order of their first lines. The
/// seconds of a container increase; the smallest distance between two of its lines (at least a
/// second) is the step, and the values of a line hold until the next one. The first request is
/// twice the values of the first line.
///
/// kMalformed: FILE:LINE: column: "value": want the valid values. `file` is the name in messages.
Result<std::vector<Workload>> read_trace(std::string_view file, std::string_view text);

}  // namespace bellows::recommender::score
