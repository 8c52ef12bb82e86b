// The visitors of the demonstration: requests over real connections, each outcome kept.
#pragma once

#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

/// What the visitors saw.
struct LoadRecord {
  std::uint64_t answered = 0;  ///< with a status of 2xx
  std::uint64_t failed = 0;
  std::string first_failure;        ///< one line; empty: none
  std::vector<Duration> latencies;  ///< of the answered ones

  /// The latency that `fraction` of the answered requests did not exceed; zero without any.
  Duration percentile(double fraction) const;
};

/// Sends requests to one address. Owner: the demo. Thread: the io thread.
class Load {
 public:
  Load(http::net::io_context& io, const sys::Clock& clock, Endpoint target);

  /// One request, now.
  void send_one();
  /// `visitors` who each ask again as soon as they were answered, until `until`.
  void crowd(int visitors, TimePoint until);
  /// Ends when every visitor has been answered, or with kTimeout.
  http::Awaitable<Result<void>> wait_until_quiet(TimePoint deadline) {
    return tasks_.join(deadline);
  }

  int in_flight() const { return in_flight_; }
  const LoadRecord& record() const { return record_; }

 private:
  http::Awaitable<void> visit();
  http::Awaitable<void> visit_until(TimePoint until);

  const sys::Clock& clock_;
  const Endpoint target_;
  int in_flight_ = 0;
  LoadRecord record_;
  http::TaskGroup tasks_;  // last: its tasks use the members above
};

}  // namespace bellows::cli
