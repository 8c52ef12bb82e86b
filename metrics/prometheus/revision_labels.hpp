// The labels of a revision's series.
#pragma once

#include <string>

#include "base/revision_name.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::metrics::prometheus {

inline constexpr const char* kNamespaceLabel = "namespace";
inline constexpr const char* kRevisionLabel = "revision";

/// Returns {namespace="shop",revision="web"}, or {revision="web"} without namespaces.
inline Labels revision_labels(const RevisionId& id) {
  const RevisionName parts = parts_of(id);
  Labels labels{{kRevisionLabel, std::string(parts.name)}};
  if (!parts.name_space.empty()) labels[kNamespaceLabel] = std::string(parts.name_space);
  return labels;
}

}  // namespace bellows::metrics::prometheus
