// The load of the demonstration: requests over real connections, and their results.
#pragma once

#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

/// The results so far.
struct LoadRecord {
  std::uint64_t succeeded = 0;  ///< status 2xx
  std::uint64_t failed = 0;
  std::string first_failure;        ///< one line; empty: none
  std::vector<Duration> latencies;  ///< of successful requests

  /// Returns the given quantile of the latencies (nearest rank); zero without any.
  Duration percentile(double fraction) const;
};

/// Sends requests to one address. Owner: the demo. Thread: the io thread.
class Load {
 public:
  Load(http::net::io_context& io, const sys::Clock& clock, Endpoint target);

  /// Sends one request now.
  void send_one();
  /// Makes each of `clients` send its next request as soon as the previous one is complete, until
  /// `until`.
  void send_from(int clients, TimePoint until);

  int in_flight() const { return in_flight_; }
  const LoadRecord& record() const { return record_; }

 private:
  http::Awaitable<void> send();
  http::Awaitable<void> send_until(TimePoint until);

  const sys::Clock& clock_;
  const Endpoint target_;
  int in_flight_ = 0;
  LoadRecord record_;
  http::TaskGroup tasks_;  // last: its tasks use the members above
};

}  // namespace bellows::cli
