// What single decisions changed in the memory of policies: written between two whole states, and
// added up when read.
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

/// kUnknown if one of the memories cannot tell what the decision at `at` changed, else kPart if one
/// changed.
MemoryChange change_of(const PolicyMemories& memories, TimePoint at);

/// As member "policies" of the open object: policies and what the decision at `at` changed in each.
void write_policy_changes(json::Writer& out, const PolicyMemories& memories, TimePoint at);

/// A memory as JSON, and the changes since.
class GrownMemory {
 public:
  /// kMalformed: `memory` is no object.
  static Result<GrownMemory> of(std::string_view memory);

  /// Whether take() may take it.
  Result<void> check(const json::Object& change) const;
  /// A member replaces the one of its key; one with "+" before its key is a list, which is
  /// appended.
  void take(const json::Object& change);

  /// What a policy reads.
  std::string text() const;

 private:
  std::map<std::string, std::string, std::less<>> members_;  // values as JSON text
};

}  // namespace bellows::autoscaler::journal
