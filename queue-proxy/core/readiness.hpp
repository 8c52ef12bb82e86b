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
  Duration ready = std::chrono::seconds(10);  ///< while ready (Kubernetes' period), failing or not
  int failures_until_unready = 3;  ///< in a row; a refused connection counts as all of them
};

/// What a failed probe says about an app that was ready.
enum class ProbeFailure : std::uint8_t {
  kRefused,  ///< nobody listens there: no second opinion is needed
  kBusy,     ///< no answer in time while requests ran in the app, whose probes may have to wait for
             ///< them: nothing
  kBad,      ///< another status, a reset, or no answer in time from an idle app
};

/// Pure state machine; whoever probes asks next_probe() and tells the outcome.
/// Owner: the service. Thread: the io thread.
class Readiness {
 public:
  Readiness(ProbeSchedule schedule, TimePoint now);

  void probe_succeeded(TimePoint now);
  void probe_failed(std::string_view why, ProbeFailure how, TimePoint now);
  /// Ask anew, eagerly.
  void app_restarted(TimePoint now);
  /// A request was refused. Of an app that is known to be away it is no news: the pace stays.
  void app_refused(TimePoint now);
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
