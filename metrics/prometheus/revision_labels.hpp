// The labels of a revision's series.
#pragma once

#include <string>

#include "base/revision_name.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::metrics::prometheus {

inline constexpr const char* kNamespaceLabel = "namespace";
inline constexpr const char* kServiceLabel = "service";
inline constexpr const char* kRevisionLabel = "revision";

/// Returns {namespace="shop",service="web",revision="web"}, without namespaces
/// {service="web",revision="web-00002"}.
inline Labels revision_labels(const RevisionId& service, const RevisionId& revision) {
  const RevisionName parts = parts_of(revision);
  Labels labels{{kServiceLabel, std::string(parts_of(service).name)},
                {kRevisionLabel, std::string(parts.name)}};
  if (!parts.name_space.empty()) labels[kNamespaceLabel] = std::string(parts.name_space);
  return labels;
}

}  // namespace bellows::metrics::prometheus
