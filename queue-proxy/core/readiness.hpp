// Whether this replica may be sent requests: what the probes of the app say, over time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::queue_proxy {

/// Each state lists the states that may follow.
enum class ReadinessState : std::uint8_t {
  kStarting,  ///< the app has not answered yet, or not any more -> kReady, kDraining
  kReady,     ///< the app answers                               -> kStarting, kDraining
  kDraining,  ///< leaving: never ready again
};

/// How often the app is asked.
struct ProbeSchedule {
  Duration eager = std::chrono::milliseconds(5);  ///< while starting, for `eager_for`
  Duration eager_for = std::chrono::seconds(60);  ///< then `patient`: a slow starter costs no CPU
  Duration patient = std::chrono::milliseconds(100);  ///< while starting, later
  Duration ready = std::chrono::seconds(10);          ///< while ready (Knative's readiness period)
  int failures_until_unready = 3;  ///< in a row; a refused connection counts as all of them
};

/// Pure state machine; whoever probes asks next_probe() and tells the outcome.
/// Owner: the service. Thread: the io thread.
class Readiness {
 public:
  Readiness(ProbeSchedule schedule, TimePoint now);

  void probe_succeeded(TimePoint now);
  /// `refused`: nobody listens there, so no second opinion is needed.
  void probe_failed(std::string_view why, bool refused, TimePoint now);
  /// The app was restarted, or refused a request: ask anew, eagerly.
  void app_lost(std::string_view why, TimePoint now);
  void start_draining();

  ReadinessState state() const { return state_; }
  bool is_ready() const { return state_ == ReadinessState::kReady; }
  /// Why not ready, for /readyz and the log; empty when ready.
  const std::string& reason() const { return reason_; }
  /// When the app is to be asked next. Meaningless while draining.
  TimePoint next_probe() const { return next_probe_; }

 private:
  void become_starting(std::string_view why, TimePoint now);

  const ProbeSchedule schedule_;
  ReadinessState state_ = ReadinessState::kStarting;
  std::string reason_ = "the app has not answered yet";
  TimePoint starting_since_;
  TimePoint next_probe_;
  int failures_ = 0;
};

}  // namespace bellows::queue_proxy
