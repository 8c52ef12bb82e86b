// The operations of a cgroup file system. A test can replace it with a folder.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bellows::cluster {

/// Control groups are folders; the kernel creates their files. Paths are absolute. Every error
/// names the path. Each call takes microseconds. Thread: any.
class CgroupFiles {
 public:
  virtual ~CgroupFiles() = default;

  /// Succeeds if the group exists already.
  virtual Result<void> make_group(const std::string& path) const = 0;
  /// Succeeds if there is no such group. kSystem (EBUSY) while it has a process.
  virtual Result<void> remove_group(const std::string& path) const = 0;
  /// Returns the names of the child groups.
  virtual std::vector<std::string> groups_in(const std::string& path) const = 0;
  virtual Result<std::string> read(const std::string& path) const = 0;
  /// Writes to a file, which must exist: the kernel creates control files.
  virtual Result<void> write(const std::string& path, const std::string& text) const = 0;
};

const CgroupFiles& system_cgroup_files();

}  // namespace bellows::cluster
