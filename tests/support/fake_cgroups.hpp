// A folder that behaves like a control group of version 2, as far as Bellows uses it.
#pragma once

#include <filesystem>
#include <string>

#include "cluster/local/cgroup_files.hpp"
#include "cluster/local/cgroup_rules.hpp"

namespace bellows::test {

/// New groups get their files, those of a controller only if the parent group delegates it. A group
/// with processes can neither be delegated nor removed; one with child groups cannot be removed.
/// The test writes what the kernel counts (memory.current, ...) into the files.
class FakeCgroups final : public cluster::CgroupFiles {
 public:
  /// `root` is our own group, with these processes in it ("12\n15\n") and these controllers.
  explicit FakeCgroups(std::string root, const std::string& processes = {},
                       const std::string& controllers = "cpuset cpu io memory pids\n");

  Result<void> make_group(const std::string& path) const override;
  Result<void> remove_group(const std::string& path) const override;
  std::vector<std::string> groups_in(const std::string& path) const override;
  Result<std::string> read(const std::string& path) const override;
  Result<void> write(const std::string& path, const std::string& text) const override;

  cluster::CgroupPlaces places() const;

  /// Groups made after this call accept no processes.
  void close_doors() { are_doors_closed_ = true; }

 private:
  Result<void> divide(const std::filesystem::path& group, const std::string& text) const;
  void move_here(const std::filesystem::path& group, const std::string& process) const;

  const std::string root_;
  bool are_doors_closed_ = false;
};

}  // namespace bellows::test
