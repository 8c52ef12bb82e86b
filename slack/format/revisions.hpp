// Reserves room for the next replicas of Bellows itself as placeholders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

/// The next replicas of a revision in `bellows status -o json`.
struct RevisionDemand {
  std::string name;
  std::int64_t to_come = 0;  ///< desired replicas without a pod, and one more
  /// Size of a new replica: the recommended one, that of the running ones, or as configured.
  Resources size;
};

/// Reads the revisions. `name` is the file. A revision without any size is an entry of `unmet`.
Result<std::vector<RevisionDemand>> read_revisions(std::string_view text, const std::string& name,
                                                   std::vector<Unmet>& unmet);

/// Returns a want for each revision, named "revision NAME".
std::vector<Want> wants_of(const std::vector<RevisionDemand>& demands, Cluster& cluster);

}  // namespace bellows::slack
