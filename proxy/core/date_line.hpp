// The Date field of answers that came without one (RFC 9110 6.6.1), made once a second. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::proxy {

/// Owner: the server. Thread: the io thread.
class DateLine {
 public:
  /// "Date: Tue, 15 Nov 1994 08:12:31 GMT" and CRLF; good until the next call. `clock` says in
  /// wall_now() what `now` is in the calendar, and is asked once a second.
  template <class Clock>
  std::string_view at(TimePoint now, const Clock& clock) {
    if (now >= good_until_) set(now, clock.wall_now());
    return text_;
  }

 private:
  void set(TimePoint now, WallTime wall);

  std::string text_;
  TimePoint good_until_ = TimePoint::min();
};

}  // namespace bellows::proxy
