#include "metrics/meter.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bellows::metrics {

ConcurrencyMeter::ConcurrencyMeter(TimePoint start) : since_(start), last_(start) {}

void ConcurrencyMeter::enter(TimePoint now) {
  integrate(now);
  ++level_;
  ++requests_;
  peak_ = std::max(peak_, level_);
}

void ConcurrencyMeter::leave(TimePoint now) {
  CHECK(level_ > 0, "a request leaves once, after it entered");
  integrate(now);
  --level_;
}

void ConcurrencyMeter::withdraw(TimePoint now) {
  leave(now);
  if (requests_ > 0) --requests_;
}

MeterReading ConcurrencyMeter::close_second(TimePoint now) {
  integrate(now);
  const Duration duration = last_ - since_;
  MeterReading reading;
  reading.mean = duration > Duration::zero()
                     ? static_cast<double>(integral_) / static_cast<double>(duration.count())
                     : static_cast<double>(level_);
  reading.peak = static_cast<double>(peak_);
  reading.requests = requests_;
  since_ = last_;
  integral_ = 0;
  peak_ = level_;
  requests_ = 0;
  return reading;
}

void ConcurrencyMeter::integrate(TimePoint now) {
  if (now <= last_) return;
  integral_ += level_ * (now - last_).count();
  last_ = now;
}

}  // namespace bellows::metrics
