// Computes the wait before the next attempt.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/random.hpp"
#include "base/time.hpp"

namespace bellows::kubernetes {

struct BackoffLimits {
  Duration first = std::chrono::milliseconds(250);
  Duration longest = std::chrono::seconds(4);
};

/// The bound doubles from attempt to attempt. Each wait is drawn from the upper half of its bound,
/// so that clients that failed together do not retry together.
class Backoff {
 public:
  explicit Backoff(BackoffLimits limits = {}) : limits_(limits) {}

  /// Returns the wait after one more failure: from half of the bound to the bound.
  Duration next(Random& random);
  /// Resets it after a success.
  void reset() { failures_ = 0; }
  int failures() const { return failures_; }

 private:
  BackoffLimits limits_;
  int failures_ = 0;
};

/// Returns `span` plus a random part of up to `fraction` of it.
Duration with_jitter(Duration span, double fraction, Random& random);

/// Reads Retry-After (RFC 9110, 10.2.3) in seconds, the form that the API server uses; at most an
/// hour. Returns nullopt for other texts, such as a date.
std::optional<Duration> parse_retry_after(std::string_view value);

}  // namespace bellows::kubernetes
