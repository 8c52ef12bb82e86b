// A live area with the program's log lines above it.
#pragma once

#include "cli/screen/live_area.hpp"

namespace bellows::cli {

/// During its lifetime log lines are printed above its area. Only one exists at a time.
class LiveLog {
 public:
  explicit LiveLog(Terminal terminal);
  ~LiveLog();
  LiveLog(const LiveLog&) = delete;
  LiveLog& operator=(const LiveLog&) = delete;

  LiveArea& area() { return area_; }

 private:
  LiveArea area_;
};

}  // namespace bellows::cli
