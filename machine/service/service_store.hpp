// The services of a machine: their records, the check for common requests, and their file.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/core/route_index.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/state_file.hpp"

namespace bellows::machine {

/// Writes the file before a change takes effect: after a crash it has the services before the
/// change or those after it. Owner: a Deployer. Thread: the io thread.
class ServiceStore {
 public:
  /// `state_file`: empty: nothing outlives this process. `records` have no conflict of routes.
  ServiceStore(Records records, std::string state_file);
  ServiceStore(const ServiceStore&) = delete;
  ServiceStore& operator=(const ServiceStore&) = delete;

  const Records& records() const { return records_; }
  /// Returns the record, also of a removed service that is still kept. nullptr: there is none.
  const ServiceRecord* find(const RevisionId& service) const;
  /// kNotFound with the existing names.
  Result<const ServiceRecord*> find_running(const RevisionId& service) const;

  /// kConflict: with the edits two services would take the same requests.
  Result<void> check_routes(const Edits& edits) const { return index_.check(records_, edits); }

  /// Saves and applies the edits; after an error nothing has changed. kUnavailable after close().
  Result<void> change(Edits edits);
  /// Records a change that has already taken effect; logs a failed write of the file.
  void note(ServiceRecord record);
  /// Ends all writing: from now on the file may be that of another Bellows.
  void close() { is_closed_ = true; }

 private:
  void keep(Edits edits);

  Records records_;
  RouteIndex index_;
  StateFile file_;
  bool is_closed_ = false;
};

}  // namespace bellows::machine
