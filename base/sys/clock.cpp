#include "base/sys/clock.hpp"

namespace bellows::sys {

namespace {

class SystemClock final : public Clock {
 public:
  TimePoint now() const override {
    return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
  }
  WallTime wall_now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace bellows::sys
