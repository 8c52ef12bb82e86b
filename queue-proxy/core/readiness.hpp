// Decides from the probes of its app whether this replica is ready for requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::queue_proxy {

/// Each state lists the states that may follow.
enum class ReadinessState : std::uint8_t {
  /// No probe has succeeded since the start, or the last ones failed -> kReady, kDraining.
  kStarting,
  kReady,     ///< probes succeed                               -> kStarting, kDraining
  kDraining,  ///< not ready, whatever the probes return         -> kStarting
};

/// Intervals of probes.
struct ProbeSchedule {
  Duration eager = std::chrono::milliseconds(5);  ///< while starting, for `eager_for`
  /// Time after which `patient` applies, so that a slow start costs no CPU.
  Duration eager_for = std::chrono::seconds(60);
  Duration patient = std::chrono::milliseconds(100);  ///< while starting, later
  Duration ready =
      std::chrono::seconds(10);    ///< while ready (Kubernetes' period), after failures too
  int failures_until_unready = 3;  ///< consecutive failures; one refused connection suffices
};

/// Kind of a failed probe of an app that was ready.
enum class ProbeFailure : std::uint8_t {
  kRefused,  ///< no process listens: the app is not ready
  kBusy,     ///< a timeout while requests are pending is ignored: a single-threaded app answers its
             ///< probe after them
  kBad,      ///< another status, a reset, or a timeout of an idle app
};

/// A pure state machine; the prober asks next_probe() and reports each result. Owner: the service.
/// Thread: the io thread.
class Readiness {
 public:
  Readiness(ProbeSchedule schedule, TimePoint now);

  void probe_succeeded(TimePoint now);
  void probe_failed(std::string_view why, ProbeFailure how, TimePoint now);
  /// Restarts eager probing.
  void app_restarted(TimePoint now);
  /// Records that the app refused the connection of a request. Ignored if the app is not ready
  /// anyway.
  void app_refused(TimePoint now);
  void start_draining();
  /// Undoes the drain, and probes eagerly as after a restart of the app.
  void end_draining(TimePoint now);

  ReadinessState state() const { return state_; }
  bool is_ready() const { return state_ == ReadinessState::kReady; }
  /// Returns why it is not ready, for /readyz and the log; empty when ready.
  const std::string& reason() const { return reason_; }
  /// Returns when to probe next. It has no meaning while draining.
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
