// The history of a sender of stats: its closed seconds of one stable window, sent or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

/// A log of closed seconds in the order in which they were added, with a mark: seconds before it
/// were sent, seconds after it wait. After a reconnect replay() resets the mark to the oldest. It
/// is also the queue to a slow peer: a second that has waited longer than the window is dropped,
/// oldest first, because the receiver would reject it. Owner: the sender. Pure.
class SourceHistory {
 public:
  /// Keeps seconds that ended within `window`, and at most `max` of them (of all sources together).
  SourceHistory(Duration window, std::size_t max);

  /// Sets the window. Seconds that were dropped before do not come back.
  void keep(Duration window) { window_ = window; }

  /// Adds a second that ended at now - stat.age.
  void add(const Stat& stat, TimePoint now);

  /// Returns the oldest unsent second with its age as of `now`, and marks it as sent.
  std::optional<Stat> next(TimePoint now);

  /// Marks all kept seconds as unsent again, oldest first.
  void replay();

  /// Returns the number of kept and unsent seconds.
  std::size_t waiting() const { return seconds_.size() - sent_; }
  std::size_t kept() const { return seconds_.size(); }
  /// Returns the number of seconds that were dropped unsent.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct ClosedSecond {
    Stat stat;
    TimePoint end;
    bool is_sent = false;
  };

  void forget_old(TimePoint now);
  void forget_oldest();

  Duration window_;
  std::size_t max_;
  std::deque<ClosedSecond> seconds_;
  std::size_t sent_ = 0;  // number of sent ones at the front of seconds_
  std::uint64_t dropped_ = 0;
};

}  // namespace bellows::metrics
