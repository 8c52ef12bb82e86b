// Synthetic workloads, each a simple form of a pattern of real containers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "recommender/score/workload.hpp"

namespace bellows::recommender::score {

/// Returns the names in display order.
const std::vector<std::string>& workload_names();

/// Generates a workload. Names also include "job-DURATION": a batch of an hour in every such time,
/// 2h to 480h; and "mixed-NAME", of which each part is drawn. The same name and seed return the
/// same workload, independent of other names.
/// kNotFound: there is no such name; the message lists all.
Result<Workload> generate(std::string_view name, std::uint64_t seed);

}  // namespace bellows::recommender::score
