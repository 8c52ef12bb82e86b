// Limits the retries of one request. Pure.
#pragma once

namespace bellows::proxy {

/// Counts the failed tries of one request. A try that reached no server (connection refused) is
/// free, because time limits bound those. A try that may have run is limited by count, because a
/// request that makes every app fail must not be sent to all of them.
///
/// A server whose kernel reset the connection before a byte arrived has not read all of the
/// request: it never accepted the connection, or ended with the request in its socket. A server
/// that read all of it and then ended closes without a reset. Only an app that resets on purpose
/// (SO_LINGER 0) looks the same, so resets are limited too. The budget covers all hops and replicas
/// to which this program sent the request. Owner: the outcome of the request.
class RetryBudget {
 public:
  static constexpr int kMaxRuns = 3;    ///< then the request is likely the cause of the failures
  static constexpr int kMaxResets = 8;  ///< allows for servers that end at the same time

  /// Records that the app may have received the request `times` times.
  void note_runs(int times) { runs_ += times; }
  /// Records that the connection was reset with the request unread.
  void note_reset() { ++resets_; }

  int runs() const { return runs_; }
  /// Returns true if no try has failed after it was sent.
  bool is_whole() const { return runs_ == 0 && resets_ == 0; }
  /// Returns true if the next failure with the request is the last allowed one.
  bool is_last_run() const { return runs_ + 1 == kMaxRuns; }
  bool allows_another() const { return runs_ < kMaxRuns && resets_ < kMaxResets; }

 private:
  int runs_ = 0;
  int resets_ = 0;
};

}  // namespace bellows::proxy
