// The last restarts of the apps of one revision.
#pragma once

#include <cstddef>
#include <vector>

#include "autoscaler/journal/journal_lines.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::autoscaler {

/// Owner: a ScaledRevision. Thread: the io thread.
class AppRestarts {
 public:
  static constexpr std::size_t kKept = 32;

  /// Records the restarts between two lists.
  void note(const std::vector<cluster::ReplicaPtr>& before,
            const std::vector<cluster::ReplicaPtr>& now, TimePoint at);

  /// Returns at most kKept restarts, oldest first.
  const std::vector<journal::AppRestart>& last() const { return last_; }

 private:
  std::vector<journal::AppRestart> last_;
};

}  // namespace bellows::autoscaler
