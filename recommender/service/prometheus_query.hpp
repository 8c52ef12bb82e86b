// Queries and responses of a Prometheus: VPA's queries over its HTTP API. Pure.
// (https://prometheus.io/docs/prometheus/latest/querying/api/, version 1)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/recommender_source_settings.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// Times from `from` to `to`, both included, every `step`.
struct QueryRange {
  WallTime from;
  WallTime to;
  Duration step{};
};

/// Returns the path and query of GET /api/v1/query_range for one resource: CPU as the rate over the
/// step (at least a minute), memory as a gauge; with the labels of any version of Kubernetes.
std::string range_query(const config::PrometheusSettings& settings, Resource resource,
                        const QueryRange& range);

/// Parses the samples of a response, per series in order of time; NaN and infinities are dropped as
/// unknown, series without pod or container name are skipped. kMalformed names the field;
/// kUnavailable has the error that Prometheus returned.
Result<std::vector<Observation>> parse_range_response(const config::PrometheusSettings& settings,
                                                      Resource resource, std::string_view json);

/// Returns "shop/web" for pod "web-5d8f9c7b6d-x2x9z" (a Deployment) or "web-0" (a StatefulSet) in
/// namespace "shop": pods whose names differ only in what their controller appends are one
/// workload.
RevisionId workload_of(std::string_view name_space, std::string_view pod);

}  // namespace bellows::recommender
