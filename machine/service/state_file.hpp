// The file that keeps the services of a machine across restarts.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/sys/descriptor.hpp"
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

/// The right to write a state file, which one process has at a time: two that share a file would
/// each undo the deploys of the other. The kernel takes it back from a process that ends, however
/// it ends. The destructor removes STATE_FILE.lock.
class StateLock {
 public:
  /// Holds nothing.
  StateLock() = default;
  /// kConflict, with the pid of the other process: it is taken. Without the right to create the
  /// lock the state cannot be written either, so the result holds nothing then.
  static Result<StateLock> take(const std::string& state_file);
  StateLock(StateLock&&) noexcept = default;
  StateLock& operator=(StateLock&& other) noexcept;
  ~StateLock() { release(); }

 private:
  StateLock(std::string path, sys::Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  void release();

  std::string path_;
  sys::Descriptor file_;
};

/// Reads the state file. The result is empty if there is no such file.
Result<Records> read_state_file(const std::string& path);

}  // namespace bellows::machine
