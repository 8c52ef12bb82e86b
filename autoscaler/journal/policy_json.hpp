// The observations and memories of policies as members of lines (docs/formats/replay.md,
// docs/formats/snapshot.md).
#pragma once

#include "autoscaler/core/policy/policy_list.hpp"
#include "autoscaler/core/policy/policy_seen.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Writes the member `policy`, which read_policy_seen() reads.
void write_policy_seen(json::Writer& line, const PolicySeen& seen);
/// Reads the member, which the line must have. A value that it lacks is zero or unknown.
Result<PolicySeen> read_policy_seen(const json::Object& line);

/// Writes the member `policies`, a list, if a policy has a memory. Instants are ages.
void write_policy_memories(json::Writer& state, const PolicyMemories& memories, TimePoint at);
/// Reads the list. Each policy reads its own part once its settings are known.
Result<PolicyMemories> read_policy_memories(const json::Object& state, TimePoint at);

}  // namespace bellows::autoscaler::journal
