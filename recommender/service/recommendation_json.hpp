// Recommendations as JSON (version 1, docs/formats/status.md).
#pragma once

#include <string>
#include <vector>

#include "recommender/service/size_applier.hpp"
#include "recommender/service/source_reader.hpp"
#include "recommender/service/workload_store.hpp"

namespace bellows::recommender {

/// Returns the body of GET /v1/recommendations: every workload, container and policy, and the state
/// of the sources.
std::string recommendations_json(const WorkloadStore& store,
                                 const std::vector<std::unique_ptr<SourceReader>>& sources,
                                 TimePoint now);

/// Returns "resources" of a service in GET /v1/status: the recommendation of the chosen policy for
/// its app, and whether it is applied.
std::string resources_json(config::ResourcesMode mode, const Workload* workload,
                           const SizingState* state);

}  // namespace bellows::recommender
