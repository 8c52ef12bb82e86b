// The Date field of responses without one (RFC 9110 6.6.1), formatted once a second. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::proxy {

/// Owner: the server. Thread: the io thread.
class DateLine {
 public:
  /// Returns "Date: Tue, 15 Nov 1994 08:12:31 GMT" and CRLF, valid until the next call. Calls
  /// clock.wall_now(), the wall time at `now`, once a second.
  template <class Clock>
  std::string_view at(TimePoint now, const Clock& clock) {
    if (now >= valid_until_) set(now, clock.wall_now());
    return text_;
  }

 private:
  void set(TimePoint now, WallTime wall);

  std::string text_;
  TimePoint valid_until_ = TimePoint::min();
};

}  // namespace bellows::proxy
