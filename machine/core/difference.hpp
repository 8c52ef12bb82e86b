// The difference between the present services and the wanted ones. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/service.hpp"
#include "machine/core/file_services.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// The change of one service, and its text.
struct ServiceChange {
  RevisionId service;
  bool is_new = false;
  bool is_removed = false;
  std::optional<SharedService> content = {};  ///< a revision that gets all requests
  /// Changes that take effect at once, without a restart of a replica.
  std::vector<config::Change> settings = {};
  std::optional<config::RevisionSettings> new_settings = {};  ///< all settings after them
  std::optional<config::Route> route = {};                    ///< the new one
  std::string text = {};  ///< "web: new revision web-00002: command [a] -> [b]"
};

/// Returns the change from `record` to `wanted`. nullopt: there is none. If several revisions have
/// a share the one with the largest is compared.
std::optional<ServiceChange> difference(const ServiceRecord& record, const SharedService& wanted);
ServiceChange addition(const SharedService& wanted);
ServiceChange removal(const ServiceRecord& record);

/// Selects which services of a settings file are compared.
enum class Scope : std::uint8_t {
  kWhatTheFileChanged,  ///< those that changed in the file since it was last applied
  kEverything,          ///< all: changes by commands are reverted to the file
};

/// Returns the changes from `records` to a settings file, by name. Services that a command added
/// stay; services that were deleted from the file are removed. A service that shares its
/// declaration costs one step through both lists.
std::vector<ServiceChange> differences(const Records& records, const FileServices& file,
                                       Scope scope);

/// Returns the services of the file whose declaration differs from the record.
FileServices redeclared(const Records& records, const FileServices& file);

/// Returns the services of the file that was last applied, for file_services().
FileServices declared(const Records& records);

/// kInvalidSetting: the records do not have the fallback-service in the settings of `service`.
Result<void> check_fallback(const Records& records, const Edits& edits, const RevisionId& service,
                            const config::RevisionSettings& settings);

/// kConflict: a service that `edits` remove is the fallback-service of one that stays.
Result<void> check_removed(const Records& records, const Edits& edits);

/// The services to run at a start.
struct StartPlan {
  Records records;
  /// Differences between saved state and settings file, for the log.
  std::vector<std::string> notes;
};

/// The saved state wins, unless the settings file has changed since: a service that differs from
/// that earlier file gets a revision with the file's content.
StartPlan at_start(Records saved, std::vector<config::Service> services);

}  // namespace bellows::machine
