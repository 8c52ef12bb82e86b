// Decides which events are written again and which are only counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "kubernetes/core/event.hpp"

namespace bellows::kubernetes {

/// Combines equal events into one with a count. Events are equal if object, type, reason and
/// message are. If there are more than kMaxMessages different messages for one object, type and
/// reason within the window, they are combined too, as client-go's correlator does. Owner: the
/// writer of events.
class EventAggregator {
 public:
  static constexpr int kMaxMessages = 10;
  static constexpr Duration kWindow = std::chrono::minutes(10);

  struct Write {
    Event event;         ///< meta.name and count set
    bool is_new = true;  ///< POST it; else PATCH the one of that name with `patch`
    std::string patch;   ///< merge patch: count, lastTimestamp, message
  };

  /// Returns what to write for `event`, which happened at `now`. `at` is the same instant of the
  /// wall clock.
  Write add(Event event, TimePoint now, WallTime at);
  /// Removes an event whose name was not found: the next equal one is new.
  void forget(std::string_view event_name);
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::string name;
    std::int32_t count = 0;
    WallTime first{};
    TimePoint last;
  };
  struct Group {
    int messages = 0;
    TimePoint since;
    TimePoint last;
  };
  void sweep(TimePoint now);

  std::map<std::string, Known, std::less<>> known_;   // by everything that makes events equal
  std::map<std::string, Group, std::less<>> groups_;  // the same without the message
  TimePoint swept_{};
  WallTime last_named_{};
};

}  // namespace bellows::kubernetes
