// What a sender of stats keeps: its closed seconds of one stable window, sent or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

/// A log of closed seconds in the order they were added, with a mark: what lies behind it was
/// handed out, what lies before it waits. After a reconnect replay() sets the mark back to the
/// beginning. It is the queue to a slow peer too: what has waited for longer than the window is
/// dropped, oldest first, since the receiver would refuse it anyway. Owner: the sender. Pure.
class SourceHistory {
 public:
  /// Keeps what ended within `window`, and never more than `most` seconds (of all sources
  /// together).
  SourceHistory(Duration window, std::size_t max);

  /// A second that ended at now - stat.age.
  void add(const Stat& stat, TimePoint now);

  /// The oldest second not handed out yet, with its age as of `now`; it then counts as handed out.
  std::optional<Stat> next(TimePoint now);

  /// Everything still kept waits again, oldest first.
  void replay();

  /// Kept and not handed out.
  std::size_t waiting() const { return seconds_.size() - handed_out_; }
  std::size_t kept() const { return seconds_.size(); }
  /// Seconds that left without ever being handed out.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct ClosedSecond {
    Stat stat;
    TimePoint end;
    bool was_handed_out = false;
  };

  void forget_old(TimePoint now);
  void forget_oldest();

  Duration window_;
  std::size_t max_;
  std::deque<ClosedSecond> seconds_;
  std::size_t handed_out_ = 0;  // this many at the front of seconds_
  std::uint64_t dropped_ = 0;
};

}  // namespace bellows::metrics
