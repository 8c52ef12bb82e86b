// The file that keeps the services of a machine across restarts.
#pragma once

#include <map>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// Keeps the services that differ from the settings file. Owner: a ServiceStore. A write replaces
/// the whole file: after a crash it has the old services or the new ones. The object caches its
/// lines, so a change writes the text of the changed services only.
class StateFile {
 public:
  /// `path`: empty: nothing outlives this process. `records`: those that run.
  StateFile(std::string path, const Records& records);
  /// Writes nothing if no change has to be kept. After an error the file is as before.
  Result<void> save(const Edits& edits);

 private:
  const std::string path_;
  std::map<RevisionId, std::string> lines_;
};

/// Reads the state file. The result is empty if there is no such file.
Result<Records> read_state_file(const std::string& path);

}  // namespace bellows::machine
