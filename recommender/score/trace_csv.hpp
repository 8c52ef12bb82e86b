// Usage that somebody measured, as workloads.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "recommender/score/workload.hpp"

namespace bellows::recommender::score {

/// CSV lines "seconds,container,cpu_cores,memory_bytes", that line itself allowed at the top. One
/// workload per container, named "FILE:CONTAINER", in the order of their first lines. The seconds
/// of a container go forward; the least distance between two of its lines (at least a second) is
/// the step, and what a line says holds until the next one. The container begins with twice what
/// its first line says.
///
/// kMalformed: FILE:LINE: column: "value": want what is valid. `file` is the name in messages.
Result<std::vector<Workload>> read_trace(std::string_view file, std::string_view text);

}  // namespace bellows::recommender::score
