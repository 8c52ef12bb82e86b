// The operations of a cgroup file system, so that a test can put a folder in its place.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bellows::cluster {

/// Control groups are folders whose files appear by themselves. Paths are absolute. Every error
/// names the path. Each call takes microseconds: the files are the kernel's own. Thread: any.
class CgroupFiles {
 public:
  virtual ~CgroupFiles() = default;

  /// Success too if it is there already.
  virtual Result<void> make_group(const std::string& path) const = 0;
  /// Success too if there is none. kConflict-like kSystem (EBUSY) while a process is in it.
  virtual Result<void> remove_group(const std::string& path) const = 0;
  /// The names of the groups within.
  virtual std::vector<std::string> groups_in(const std::string& path) const = 0;
  virtual Result<std::string> read(const std::string& path) const = 0;
  /// The file must be there: control files are never made.
  virtual Result<void> write(const std::string& path, const std::string& text) const = 0;
};

const CgroupFiles& system_cgroup_files();

}  // namespace bellows::cluster
