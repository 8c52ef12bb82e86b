// The states of all policies across restarts: one JSON file (version 1, docs/sizing.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace bellows::recommender {

/// The results of Policy::save(), by workload and policy.
using SavedWorkloads = std::map<RevisionId, std::map<std::string, std::string>>;

std::string checkpoint_json(const SavedWorkloads& saved);
/// Parses the file. Unknown fields are ignored. kMalformed names the field and its valid form;
/// kUnsupported: another version.
Result<SavedWorkloads> parse_checkpoint(std::string_view json);

/// Reads the file; a missing one is an empty SavedWorkloads. Errors have the file as culprit.
Result<SavedWorkloads> read_checkpoint(const std::string& path);

/// Writes a temporary file, syncs and renames it, so that a reader always finds the old or the new
/// file complete. kSystem names the file.
Result<void> write_checkpoint(const std::string& path, const SavedWorkloads& saved);

/// Renames a file that cannot be used to FILE.broken, so that it is not overwritten.
void quarantine(const std::string& path);

}  // namespace bellows::recommender
