// The state machine of one replica, with events as input and actions as output. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/core/revision.hpp"
#include "cluster/local/restart_backoff.hpp"

namespace bellows::cluster {

/// The two processes of a replica.
enum class Side : std::uint8_t { kApp, kQueueProxy };

struct Action {
  enum class What : std::uint8_t {
    kStart,
    kTerminate,   ///< SIGTERM
    kKill,        ///< SIGKILL, for its descendants too
    kProbeAgain,  ///< SIGHUP: the app of the queue-proxy was restarted
  };
  What what;
  Side side;
  bool operator==(const Action&) const = default;
};

struct ReplicaPlan {
  PodName name;
  std::uint16_t app_port = 0;
  bool is_port_fixed = false;  ///< the app has not got it from us
  bool is_starter = false;     ///< its command starts the app and ends
  std::string readiness_path;  ///< empty: it is ready once it listens
  Duration progress_deadline = std::chrono::seconds(60);
  Duration drain_timeout = std::chrono::seconds(300);
  Random* random = nullptr;                          ///< spreads restarts; outlives the replica
  Duration stop_timeout = std::chrono::seconds(10);  ///< of the app, from SIGTERM to SIGKILL
};

/// Both processes start together. A crashed app restarts after 100 ms, doubled up to 10 s; a
/// crashed queue-proxy restarts at once, then with the same delays. Ten seconds of readiness reset
/// the backoff. An app that hangs is killed and counts as crashed; the backoff counts its readiness
/// only until its last sign of life. To drain, the queue-proxy gets SIGTERM and ends when no
/// request is in flight; then the app gets SIGTERM, and SIGKILL after its stop timeout. If only
/// tunnels are left, the app gets SIGTERM before, so that it can close them in its protocol.
///
/// A queue-proxy that another process has signalled drains a second later, unless Bellows stops too
/// (stay()): a service manager signals every process at once, and the requests that still wait then
/// need this replica. If a queue-proxy drains by itself, its replica drains too.
class ReplicaMachine {
 public:
  using Actions = std::vector<Action>;

  static constexpr Duration kBackoffResetTime = std::chrono::seconds(10);
  static constexpr Duration kProxyStopMargin = std::chrono::seconds(5);  ///< after drain_timeout

  static constexpr Duration kWordTime = std::chrono::seconds(1);
  /// After the start of an app that is not ready; then after twice the time, and so on.
  static constexpr Duration kFirstLook = std::chrono::seconds(3);
  static constexpr int kCrashLoop = 3;

  /// `ordered`: when it was ordered from the cluster.
  ReplicaMachine(ReplicaPlan plan, TimePoint ordered);

  // Events. `now` never decreases.
  Actions order(TimePoint now);                                     ///< start both processes; once
  Actions started(Side side, TimePoint now);                        ///< exec has succeeded
  void launched();                                                  ///< the start command is over
  Actions ended(Side side, const std::string& how, TimePoint now);  ///< "exited with code 1"
  Actions listening(Endpoint address);
  Actions ready(TimePoint now, std::string app_protocol = {});  ///< Replica::app_protocol
  Actions unready(const std::string& reason, TimePoint now);
  /// The app hangs; `silent` is the time since its last sign of life.
  Actions hung(const std::string& reason, Duration silent, TimePoint now);
  Actions proxy_signalled(TimePoint now);  ///< by another process
  Actions proxy_drains(TimePoint now);     ///< although drain() did not tell it to
  Actions tunnels_left();                  ///< nothing else is in flight in the queue-proxy
  Actions drain(TimePoint now);
  Actions kill();
  /// Call it at next_tick(), or any other time. `listens_on`: where the app listens, if
  /// tick_needs_listeners().
  Actions tick(TimePoint now, const std::string& listens_on = {});
  /// Returns true if tick(now) reports why an app is not ready: at the progress deadline, and
  /// before it if waiting alone does not help.
  bool tick_needs_listeners(TimePoint now) const;

  /// Ignores signals of others from now on: Bellows is ending and drains this replica later.
  void stay() {
    is_staying_ = true;
    word_at_.reset();
  }
  /// Returns true if it drains without a call of drain(): its revision needs another one.
  bool has_left() const { return has_left_; }

  /// Returns true while its app is being killed because it hangs.
  bool is_hung() const { return !hang_.empty(); }
  /// Returns when its app is started again; nullopt: it is not down.
  std::optional<TimePoint> app_starts_at() const { return app_.start_at; }

  /// Returns when tick() is due; nullopt: nothing to do until the next event.
  std::optional<TimePoint> next_tick() const;

  /// Returns the replica for the list, without usage and size.
  const Replica& replica() const { return replica_; }

  /// Returns true if waiting for it is probably futile: it is past its progress deadline, or it
  /// crashed kCrashLoop times in a row without becoming ready. Callers are not rejected after only
  /// one crash.
  bool is_stuck() const { return is_overdue_ || is_crash_looping(); }
  bool is_crash_looping() const { return crashes_in_a_row_ >= kCrashLoop; }

 private:
  struct Process {
    enum class State : std::uint8_t {
      kDown,      ///< not started yet, or crashed         -> kStarting, kEnded
      kStarting,  ///< forked, exec has not succeeded yet  -> kRunning, kDown (crashed), kEnded
      kRunning,   ///< -> kDown (crashed), kEnded
      kEnded,     ///< final                      -> (end)
    };
    State state = State::kDown;
    RestartBackoff backoff;
    std::optional<TimePoint> start_at = {};  // while down
    std::optional<TimePoint> kill_at = {};   // after SIGTERM

    bool is_up() const { return state == State::kStarting || state == State::kRunning; }
  };

  Process& process(Side side) { return side == Side::kApp ? app_ : proxy_; }
  Action start(Side side, TimePoint now);
  Actions crashed(Side side, const std::string& how, TimePoint now);
  void begin_drain();
  Actions stop_app(TimePoint now);
  void update_readiness(TimePoint now);
  void wait_for_ready_from(TimePoint now);
  void look_at_start(TimePoint now, const std::string& listens_on);
  std::string_view port_hint() const;
  std::string nothing_listens(const std::string& after, const std::string& listens_on) const;
  std::string early_text(const std::string& listens_on) const;
  std::string overdue_text(const std::string& listens_on) const;
  std::optional<TimePoint> look_at() const;
  std::optional<TimePoint> overdue_at() const;
  bool is_refused() const;
  ReplicaPhase phase() const;

  /// Completes every event function, so that replica_.phase is always current.
  Actions done(Actions actions);

  ReplicaPlan plan_;
  Replica replica_;
  Process app_{.backoff = RestartBackoff(RestartBackoff::kMin, plan_.random)};
  Process proxy_{.backoff = RestartBackoff(Duration::zero(), plan_.random)};
  TimePoint waiting_since_{};  // while it is not ready
  TimePoint next_look_{};      // at an app that has not been ready since its start
  std::optional<TimePoint> ready_since_;
  bool is_probe_ok_ = false;   // the last report of the queue-proxy
  std::string probe_failure_;  // the cause that it reported; of the current run of the app
  std::string hang_;         // the cause for which the app is being killed; empty: it does not hang
  bool is_launched_ = true;  // no start command runs
  bool is_overdue_ = false;
  int crashes_in_a_row_ = 0;  // since it was last ready
  bool is_draining_ = false;
  bool has_left_ = false;
  bool is_staying_ = false;
  std::optional<TimePoint> word_at_;  // of drain() after a signal of another process
};

}  // namespace bellows::cluster
