// The page on which `recommender explain --admin` asks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/io/service_server.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// Explains the recommendation for a container of a workload or of a replica. `policy`: empty for
/// the chosen one.
using Explain = std::function<Result<std::vector<std::string>>(
    const std::string& name, const ContainerName& container, const std::string& policy)>;

/// Adds GET /v1/recommendations/NAME/CONTAINER/explain (plain text; ?policy= names a shadow). A
/// name may contain a '/'.
void add_explain_page(http::ServiceServer& server, Explain explain);

}  // namespace bellows::recommender
