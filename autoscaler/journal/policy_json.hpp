// What policies saw and remember, as members of lines (docs/formats/replay.md,
// docs/formats/snapshot.md).
#pragma once

#include "autoscaler/core/policy/policy_list.hpp"
#include "autoscaler/core/policy/policy_seen.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// As the member `policy`; read_policy_seen() gives it back.
void write_policy_seen(json::Writer& line, const PolicySeen& seen);
/// The line has the member. What it does not name is zero or unknown.
Result<PolicySeen> read_policy_seen(const json::Object& line);

/// As the member `policies`, a list; nothing if no policy remembers anything. Instants are ages.
void write_policy_memories(json::Writer& state, const PolicyMemories& memories, TimePoint at);
/// Each policy reads its own part once its settings are known.
Result<PolicyMemories> read_policy_memories(const json::Object& state, TimePoint at);

}  // namespace bellows::autoscaler::journal
