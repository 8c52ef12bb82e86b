// The replicas that Bellows itself is about to start, as placeholders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

/// A revision of `bellows status -o json`: its next replicas.
struct RevisionDemand {
  std::string name;
  std::int64_t to_come = 0;  ///< wanted replicas that have no pod yet, and one more
  Resources size;  ///< of a new replica: the recommended one, that of the running ones, or as set
};

/// `name` is the file. A revision without any size is an entry of `unmet`.
Result<std::vector<RevisionDemand>> read_revisions(std::string_view text, const std::string& name,
                                                   std::vector<Unmet>& unmet);

/// A want for each revision, "revision NAME".
std::vector<Want> wants_of(const std::vector<RevisionDemand>& demands, Cluster& cluster);

}  // namespace bellows::slack
