// Detects two services that match the same requests, or have the same name. Pure.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/route.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// kConflict: two services would have the same route, or one the name of another one's revision.
Result<void> check_routes(const Records& records);

/// Finds the service of a rule, so that a check of one change takes the same time with thousands of
/// services. Owner: the caller that has the records.
class RouteIndex {
 public:
  explicit RouteIndex(const Records& records);

  /// Replaces a record. A nullptr `before` adds one, a nullptr `now` removes one.
  void replace(const ServiceRecord* before, const ServiceRecord* now);

  /// Runs check_routes() of `records` with the edits. `records`: those of this index, which have no
  /// conflict.
  Result<void> check(const Records& records, const Edits& edits) const;

 private:
  const ServiceRecord* holder(const config::RouteRule& rule, const Records& records,
                              const Edits& edits) const;

  std::unordered_multimap<std::size_t, RevisionId> by_hash_;  // of a rule
};

}  // namespace bellows::machine
