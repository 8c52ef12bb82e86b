// How often one request may be sent again. Pure.
#pragma once

namespace bellows::proxy {

/// What the failed tries of one request did. A try that reached nobody (connection refused) costs
/// nothing: time bounds those. A try that may have run is bounded by count: a request that makes
/// every app drop it must not be handed to all of them.
///
/// A server whose kernel reset the connection before a byte came has not read all of the request:
/// it never accepted the connection, or ended with the request in its socket. One that read all of
/// it and then ended closes without a reset. Only an app that resets on purpose (SO_LINGER 0) looks
/// the same, therefore resets have a bound too. Owner: the outcome of the request. Covers all hops
/// and replicas that this program sent it to.
class RetryBudget {
 public:
  static constexpr int kMaxRuns = 3;    ///< a request that died with its server three times
  static constexpr int kMaxResets = 8;  ///< servers that ended at the same time

  /// The app may have received the request `times` times.
  void note_runs(int times) { runs_ += times; }
  /// The connection was reset with the request unread.
  void note_reset() { ++resets_; }

  int runs() const { return runs_; }
  /// No try has failed after it was sent.
  bool is_whole() const { return runs_ == 0 && resets_ == 0; }
  /// One more server that ends with the request would be the last.
  bool is_last_run() const { return runs_ + 1 == kMaxRuns; }
  bool allows_another() const { return runs_ < kMaxRuns && resets_ < kMaxResets; }

 private:
  int runs_ = 0;
  int resets_ = 0;
};

}  // namespace bellows::proxy
