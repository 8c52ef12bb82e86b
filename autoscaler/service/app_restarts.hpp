// The last restarts of the apps of one revision.
#pragma once

#include <cstddef>
#include <vector>

#include "autoscaler/core/app_restart.hpp"
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
  const std::vector<AppRestart>& last() const { return last_; }

 private:
  std::vector<AppRestart> last_;
};

}  // namespace bellows::autoscaler
