// Detects two services with the same requests, or with the same name. Pure.
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

/// Finds the service of a rule, so that the check of one change among thousands of services costs
/// what one does. Owner: who keeps the records.
class RouteIndex {
 public:
  explicit RouteIndex(const Records& records);

  /// Replaces a record. nullptr: there was none, or there is none any more.
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
