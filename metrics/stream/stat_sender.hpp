// The client side of the stat stream: one WebSocket to the autoscaler, reconnected when it is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "http/io/net.hpp"
#include "http/io/task_group.hpp"
#include "http/io/websocket.hpp"
#include "metrics/source_history.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

struct StatSenderOptions {
  Duration replay_window = std::chrono::seconds(60);     ///< longest stable window of its revisions
  std::size_t max_kept = 65'536;                         ///< kept seconds of all sources together
  Duration first_delay = std::chrono::milliseconds(50);  ///< delay before the second attempt
  Duration max_delay = std::chrono::seconds(1);          ///< limit of the doubled delay
  /// A trigger that could not be sent is dropped after this time, which is twice the interval at
  /// which a waiting activator repeats it.
  Duration trigger_lifetime = std::chrono::seconds(2);
};

/// Returns the delay times a random factor in [0.5, 1).
Duration jittered(Duration delay, Random& random);

/// Calls from the sender to its owner. Each may be empty.
struct StatSenderCallbacks {
  std::function<void(bool connected)> on_change;  ///< a connection was made, or lost
  /// The autoscaler sends settings. Returns the answer; nullopt: they are for another program.
  std::function<std::optional<SettingsTaken>(const SettingsOrder&)> on_settings;
};

/// The sender's dependencies; tests replace them. Clock and random outlive the sender.
struct StatSenderWorld {
  std::function<http::Awaitable<Result<std::unique_ptr<http::WebSocket>>>()> connect;
  std::function<http::Awaitable<bool>(Duration)> sleep;  ///< false if cancelled; http::sleep_for
  const sys::Clock* clock = nullptr;
  Random* random = nullptr;
};

struct StatSenderCounters {
  std::uint64_t connects = 0;       ///< established connections
  std::uint64_t failures = 0;       ///< failed attempts and lost connections
  std::uint64_t stats_sent = 0;     ///< replayed ones included
  std::uint64_t stats_dropped = 0;  ///< exceeded the replay window before they could be sent
  std::uint64_t triggers_sent = 0;
};

/// A StatSink that sends. It keeps every stat for replay_window. A new connection first gets all of
/// them again, oldest first and with their true age, because the receiver may have lost its memory
/// (it drops duplicates). A peer that reads slowly loses the oldest stats first. Triggers are sent
/// before stats; of unsent ones only the newest per revision is kept, for at most trigger_lifetime,
/// because a late one would start a needless replica. The delay between attempts is first_delay,
/// doubled up to max_delay, each times a random factor in [0.5, 1); it restarts after a connection
/// that lasted for max_delay. Destroy it after stop() has ended, or when the io_context no longer
/// runs. Owner: the service whose stats they are. Thread: the io thread.
class StatSender final : public StatSink {
 public:
  StatSender(http::net::io_context& io, StatSenderWorld world, StatSenderOptions options = {},
             StatSenderCallbacks callbacks = {});
  /// Begins with the stats of another sender.
  StatSender(http::net::io_context& io, StatSenderWorld world, StatSenderOptions options,
             StatSenderCallbacks callbacks, SourceHistory history);
  ~StatSender() override;
  StatSender(const StatSender&) = delete;
  StatSender& operator=(const StatSender&) = delete;

  /// Starts to connect. Call it once.
  void start();

  void accept(const Stat& stat) override;
  void accept(const ScaleFromZeroTrigger& trigger) override;

  /// Sets StatSenderOptions::replay_window.
  void keep(Duration window) { history_.keep(window); }

  bool connected() const { return connected_; }
  const SourceHistory& history() const { return history_; }
  StatSenderCounters counters() const;

  /// Sends the rest if it is connected, closes, and returns by `deadline` at the latest; stats that
  /// are unsent by then are lost.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Awaitable<void> run();
  http::Awaitable<Error> serve(http::WebSocket& socket);
  http::Awaitable<void> read_until_lost(http::WebSocket& socket, Error& why);
  http::Awaitable<void> write_waiting(http::WebSocket& socket, Error& why);
  void take(const std::string& bytes);
  http::Awaitable<Result<void>> write_next(http::WebSocket& socket);
  void drop_late_triggers();
  bool has_something_to_send() const {
    return answer_ || !triggers_.empty() || history_.waiting() > 0;
  }
  http::Awaitable<void> wait_for_work();
  void set_connected(bool connected);
  void log_end(const Error& why, bool has_lasted);

  StatSenderWorld world_;
  StatSenderOptions options_;
  StatSenderCallbacks callbacks_;
  SourceHistory history_;
  std::optional<SettingsTaken> answer_;  // unsent, to the newest order of this connection
  struct KeptTrigger {
    ScaleFromZeroTrigger trigger;
    TimePoint received{};
  };
  std::map<RevisionId, KeptTrigger> triggers_;  // newest unsent one of each revision
  http::AsioTimer work_;                        // cancelled when there is something to send
  StatSenderCounters counters_;
  bool connected_ = false;
  bool stopping_ = false;
  bool is_outage_logged_ = false;     // since the last connection that lasted
  bool is_closed_at_once_ = false;    // the last connection, as if it is refused
  bool is_bad_order_logged_ = false;  // of this connection
  http::TaskGroup tasks_;
};

}  // namespace bellows::metrics
