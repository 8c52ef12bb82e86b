// What policies learned, across restarts: one JSON file (version 1, docs/sizing.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace bellows::recommender {

/// What Policy::save() gave, by workload and policy.
using SavedWorkloads = std::map<RevisionId, std::map<std::string, std::string>>;

std::string checkpoint_json(const SavedWorkloads& saved);
/// Unknown fields are ignored. kMalformed names the field and what it should be; kUnsupported
/// another version.
Result<SavedWorkloads> parse_checkpoint(std::string_view json);

/// No such file yet is an empty SavedWorkloads. Errors have the file as culprit.
Result<SavedWorkloads> read_checkpoint(const std::string& path);

/// Writes beside it, to the disk, and renames: whatever happens, a reader finds the old or the new
/// one whole. kSystem naming the file.
Result<void> write_checkpoint(const std::string& path, const SavedWorkloads& saved);

/// Moves a file that cannot be used out of the way, so that it is not overwritten: FILE.broken.
void set_aside(const std::string& path);

}  // namespace bellows::recommender
