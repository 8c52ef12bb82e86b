// Made-up workloads, each the plain form of something that real containers do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "recommender/score/workload.hpp"

namespace bellows::recommender::score {

/// In the order in which they are shown.
const std::vector<std::string>& workload_names();

/// The same name and seed give the same workload; another name never changes it. kNotFound: there
/// is none of that name; the message lists all.
Result<Workload> generate(std::string_view name, std::uint64_t seed);

}  // namespace bellows::recommender::score
