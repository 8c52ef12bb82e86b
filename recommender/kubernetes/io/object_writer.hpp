// Writes statuses and checkpoints of VPA's objects to the API server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "http/io/net.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/io/api_client.hpp"
#include "recommender/kubernetes/core/cluster_state.hpp"

namespace bellows::recommender {

/// A write that fails is counted, the first of each loop is logged, and the next loop writes what
/// is due then. Owner: the program. Thread: the io thread.
class ObjectWriter {
 public:
  /// All of them outlive it.
  ObjectWriter(http::net::io_context& io, const sys::Clock& clock, kubernetes::ApiClient& client);

  /// Writes all statuses, some at once. Returns when every write has its answer.
  http::Awaitable<void> write_statuses(std::vector<StatusWrite> writes);
  /// Writes checkpoints that are stale until `until`, at most 50 a second.
  http::Awaitable<void> write_checkpoints(ClusterState& state, TimePoint until);
  /// Deletes checkpoints: namespace and name. One that is gone is no error.
  http::Awaitable<void> delete_checkpoints(
      std::vector<std::pair<std::string, std::string>> orphans);

  struct Counters {
    std::uint64_t statuses = 0;
    std::uint64_t comparisons = 0;
    std::uint64_t checkpoints = 0;
    std::uint64_t deleted = 0;
    std::map<std::string, std::uint64_t> errors;  ///< by kind of error
  };
  const Counters& counters() const { return counters_; }

  void stop() { tasks_.stop(); }
  http::Awaitable<Result<void>> join(TimePoint deadline) { return tasks_.join(deadline); }

 private:
  http::Awaitable<void> write_from_queue();
  http::Awaitable<Result<void>> write(std::string ns, CheckpointWrite checkpoint);
  bool succeeded(const Result<std::string>& answer);
  bool succeeded(const Error* error);

  const sys::Clock& clock_;
  kubernetes::ApiClient& client_;
  std::vector<StatusWrite> queue_;
  std::size_t next_ = 0;
  bool is_told_ = false;  // an error of this loop was logged
  Counters counters_;
  http::TaskGroup tasks_;
};

}  // namespace bellows::recommender
