// Reads one source again and again, whatever becomes of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// Owner: the service. Thread: the io thread. A source that fails is named in one warning, and in
/// one line when it answers again; in between it is tried every period, and what was known stays.
class SourceReader {
 public:
  using Take = std::function<void(const std::vector<Observation>&)>;

  /// `clock` outlives it. `period` zero: it is read when somebody calls read_once().
  SourceReader(std::unique_ptr<UsageSource> source, Duration period, const sys::Clock& clock,
               Take take);

  http::Awaitable<void> read_once();
  /// Until its task is stopped.
  http::Awaitable<void> keep_reading();

  std::string name() const { return source_->name(); }
  Duration period() const { return period_; }
  /// Since when it has not answered, and why; empty: it did the last time.
  const std::string& trouble() const { return trouble_; }
  std::optional<TimePoint> last_success() const { return last_success_; }

 private:
  const std::unique_ptr<UsageSource> source_;
  const Duration period_;
  const sys::Clock& clock_;
  const Take take_;
  std::string trouble_;
  std::optional<TimePoint> last_success_;
};

}  // namespace bellows::recommender
