// The changes of single decisions in the memory of policies. They are written between two whole
// states, and applied in order when read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "autoscaler/core/policy/policy_list.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Returns kUnknown if one of the memories does not know the change of the decision at `at`, else
/// kPart if one changed.
MemoryChange change_of(const PolicyMemories& memories, TimePoint at);

/// Writes member "policies" of the open object: each policy with the change of the decision at
/// `at`.
void write_policy_changes(json::Writer& out, const PolicyMemories& memories, TimePoint at);

/// A memory as JSON, and its later changes.
class GrownMemory {
 public:
  /// kMalformed: `memory` is no object.
  static Result<GrownMemory> of(std::string_view memory);

  /// Returns an error if take() must not take the change.
  Result<void> check(const json::Object& change) const;
  /// Applies a change. A member replaces the one of its key; a member with "+" before its key is a
  /// list, which is appended.
  void take(const json::Object& change);

  /// Returns the text that a policy reads.
  std::string text() const;

 private:
  std::map<std::string, std::string, std::less<>> members_;  // values as JSON text
};

}  // namespace bellows::autoscaler::journal
