// What differs between the services there are and the services that are asked for. Pure.
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

/// What is done to one service, and how it is told.
struct ServiceChange {
  RevisionId service;
  bool is_new = false;
  bool is_removed = false;
  std::optional<SharedService> content = {};  ///< a revision that gets all requests
  std::vector<config::Change> settings = {};  ///< take effect at once, no replica is restarted
  std::optional<config::RevisionSettings> new_settings = {};  ///< the same, whole
  std::optional<config::Route> route = {};                    ///< the new one
  std::string text = {};  ///< "web: new revision web-00002: command [a] -> [b]"
};

/// The change from `record` to `wanted`. nullopt: there is none. Of several revisions with a share
/// the one with the largest is compared.
std::optional<ServiceChange> difference(const ServiceRecord& record, const SharedService& wanted);
ServiceChange addition(const SharedService& wanted);
ServiceChange removal(const ServiceRecord& record);

/// Which services of a settings file are looked at.
enum class Scope : std::uint8_t {
  kWhatTheFileChanged,  ///< those that the file has otherwise than when it was last applied
  kEverything,          ///< all: what commands have changed becomes as in the file again
};

/// The changes from `records` to a settings file, by name. Services that a command added stay;
/// services that the file had and has no more are removed. Services that share what was declared
/// cost a step through both lists.
std::vector<ServiceChange> differences(const Records& records, const FileServices& file,
                                       Scope scope);

/// Those of the file that are declared otherwise so far.
FileServices redeclared(const Records& records, const FileServices& file);

/// What the file had when it was last applied, for file_services().
FileServices declared(const Records& records);

/// kInvalidSetting: the fallback-service in the settings of `service` is none of the records.
Result<void> check_fallback(const Records& records, const Edits& edits, const RevisionId& service,
                            const config::RevisionSettings& settings);

/// kConflict: a service that `edits` remove is the fallback-service of one that stays.
Result<void> check_removed(const Records& records, const Edits& edits);

/// What runs at a start.
struct StartPlan {
  Records records;
  std::vector<std::string> notes;  ///< for the log: where saved state and settings file differ
};

/// What was saved holds, unless the settings file has changed since: a service that it has
/// otherwise than then gets a revision with the file's content.
StartPlan at_start(Records saved, std::vector<config::Service> services);

}  // namespace bellows::machine
