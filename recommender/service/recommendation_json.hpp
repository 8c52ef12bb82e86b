// Recommendations as JSON (version 1, docs/status.md).
#pragma once

#include <string>
#include <vector>

#include "recommender/service/size_applier.hpp"
#include "recommender/service/source_reader.hpp"
#include "recommender/service/workload_book.hpp"

namespace bellows::recommender {

/// GET /v1/recommendations: every workload, container and policy, and how the sources are.
std::string recommendations_json(const WorkloadBook& book,
                                 const std::vector<std::unique_ptr<SourceReader>>& sources,
                                 TimePoint now);

/// "resources" of a service in GET /v1/status: what the chosen policy says about its app, and what
/// became of it.
std::string resources_json(config::ResourcesMode mode, const Workload* workload,
                           const SizingState* state);

std::string recommendation_error_json(const Error& error);

}  // namespace bellows::recommender
