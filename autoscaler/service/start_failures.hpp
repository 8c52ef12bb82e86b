// The starts of a revision's replicas that failed since the last one that succeeded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/core/revision.hpp"

namespace bellows::autoscaler {

/// A start fails when the app ends, or is late, before it was ready; each restart is another
/// start. So does one that nobody waits for any more, if it is known why it was not ready. It
/// outlives the replicas, so that a revision at zero still tells it. Owner: a
/// ScaledRevision. Thread: the io thread.
class StartFailures {
 public:
  /// Counts what happened between two lists.
  void note(const std::vector<cluster::ReplicaPtr>& before,
            const std::vector<cluster::ReplicaPtr>& now, TimePoint at);

  /// Goes on with what a predecessor has counted.
  void restore(std::int64_t count, std::string last, TimePoint at);

  /// Returns 0 after a start that succeeded.
  std::int64_t count() const { return count_; }
  /// Returns why the last one failed, one line with the name of the replica; empty: count() is 0.
  const std::string& last() const { return last_; }
  TimePoint last_at() const { return at_; }

 private:
  std::int64_t count_ = 0;
  std::string last_;
  TimePoint at_{};
};

}  // namespace bellows::autoscaler
