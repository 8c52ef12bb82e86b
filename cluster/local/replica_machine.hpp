// One replica's life as a state machine: what happened comes in, what to do goes out. It knows no
// processes and no clock. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/local/restart_delay.hpp"

namespace bellows::cluster {

/// The two processes of a replica.
enum class Side : std::uint8_t { kApp, kQueueProxy };

struct Action {
  enum class What : std::uint8_t {
    kStart,
    kTerminate,  ///< SIGTERM
    kKill,       ///< SIGKILL, with everything it started
    kProbeAnew,  ///< SIGHUP: the app behind the queue-proxy is a new one
  };
  What what;
  Side side;
  bool operator==(const Action&) const = default;
};

struct ReplicaPlan {
  PodName name;
  std::uint16_t app_port = 0;
  std::string readiness_path;  ///< empty: it is ready once it listens
  Duration progress_deadline = std::chrono::seconds(60);
  Duration drain_timeout = std::chrono::seconds(300);
};

/// Both processes are started together. A crashed app is started again after 100 ms, doubled up to
/// 10 s; a crashed queue-proxy at once, then with the same waits; ten seconds of being ready make
/// the next crash a first one. Leaving: the queue-proxy gets SIGTERM and ends by itself when
/// nothing is in flight, then the app gets SIGTERM, and SIGKILL five seconds later.
class ReplicaMachine {
 public:
  using Actions = std::vector<Action>;

  static constexpr Duration kRanWell = std::chrono::seconds(10);
  static constexpr Duration kAppStopTime = std::chrono::seconds(5);
  static constexpr Duration kProxyStopMargin = std::chrono::seconds(5);  ///< beyond drain_timeout

  static constexpr int kCrashLoop = 3;

  /// `ordered`: when the cluster was asked for it.
  ReplicaMachine(ReplicaPlan plan, TimePoint ordered);

  // What happens. `now` never goes back.
  Actions order(TimePoint now);                                     ///< start it; once
  Actions started(Side side, TimePoint now);                        ///< exec has worked
  Actions ended(Side side, const std::string& how, TimePoint now);  ///< "exited with code 1"
  Actions listening(Endpoint address);
  Actions ready(TimePoint now);
  Actions unready(const std::string& reason, TimePoint now);
  Actions drain(TimePoint now);
  Actions kill();
  Actions tick(TimePoint now);  ///< at next_tick(), or any other time

  /// When something is due; nullopt: nothing is.
  std::optional<TimePoint> next_tick() const;

  /// As the snapshot shows it, without usage.
  const Replica& replica() const { return replica_; }

  /// Waiting for it is in vain, as far as one can tell: it is past its progress deadline, or it
  /// crashed kCrashLoop times without having been ready in between. One crash is no reason to turn
  /// callers away.
  bool is_stuck() const { return is_overdue_ || is_crash_looping(); }
  bool is_crash_looping() const { return crashes_in_a_row_ >= kCrashLoop; }

 private:
  struct Process {
    enum class State : std::uint8_t { kDown, kStarting, kRunning, kEnded };
    State state = State::kDown;
    RestartDelay delay;
    std::optional<TimePoint> start_at = {};  // while down
    std::optional<TimePoint> kill_at = {};   // while it has been told to end

    bool is_up() const { return state == State::kStarting || state == State::kRunning; }
  };

  Process& process(Side side) { return side == Side::kApp ? app_ : proxy_; }
  Action start(Side side, TimePoint now);
  Actions crashed(Side side, const std::string& how, TimePoint now);
  Actions stop_app(TimePoint now);
  void settle_readiness(TimePoint now);
  void wait_for_ready_from(TimePoint now);
  std::string overdue_text() const;
  std::optional<TimePoint> overdue_at() const;
  ReplicaPhase phase() const;

  /// Every public function ends with this, so that replica_.phase is never behind.
  Actions done(Actions actions);

  ReplicaPlan plan_;
  Replica replica_;
  Process app_{.delay = RestartDelay(RestartDelay::kMin)};
  Process proxy_{.delay = RestartDelay(Duration::zero())};
  TimePoint waiting_since_{};  // while it is not ready
  std::optional<TimePoint> ready_since_;
  bool proxy_says_ready_ = false;
  bool is_overdue_ = false;
  int crashes_in_a_row_ = 0;  // since it was ready
  bool is_leaving_ = false;
};

}  // namespace bellows::cluster
