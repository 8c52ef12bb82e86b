// Reads one source periodically.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// Owner: the service. Thread: the io thread. A source that fails is logged once, and once when it
/// responds again; in between it is retried every period, and earlier samples stay.
class SourceReader {
 public:
  using Take = std::function<void(const std::vector<Observation>&)>;

  /// `clock` must outlive it. With a `period` of zero only read_once() reads it.
  SourceReader(std::unique_ptr<UsageSource> source, Duration period, const sys::Clock& clock,
               Take take);

  http::Awaitable<void> read_once();
  /// Runs until its task is stopped.
  http::Awaitable<void> keep_reading();

  std::string name() const { return source_->name(); }
  Duration period() const { return period_; }
  /// Returns why the last read failed; empty: it succeeded.
  const std::string& last_error() const { return last_error_; }
  std::optional<TimePoint> last_success() const { return last_success_; }

 private:
  const std::unique_ptr<UsageSource> source_;
  const Duration period_;
  const sys::Clock& clock_;
  const Take take_;
  std::string last_error_;
  std::optional<TimePoint> last_success_;
};

}  // namespace bellows::recommender
