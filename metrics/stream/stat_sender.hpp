// The sending end of the stat stream: one WebSocket to the autoscaler, made again when it is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

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
  Duration replay_window = std::chrono::seconds(60);     ///< the longest stable window it sends for
  std::size_t max_kept = 65'536;                         ///< seconds kept, of all sources together
  Duration first_delay = std::chrono::milliseconds(50);  ///< before the second attempt
  Duration max_delay = std::chrono::seconds(1);          ///< doubling up to here
  /// A wake that could not be sent is dropped after this: twice the time after which whoever still
  /// waits says so again.
  Duration wake_lifetime = std::chrono::seconds(2);
};

/// What the sender stands on; tests put their own here. Clock and random outlive the sender.
struct StatSenderWorld {
  std::function<http::Awaitable<Result<std::unique_ptr<http::WebSocket>>>()> connect;
  std::function<http::Awaitable<bool>(Duration)> sleep;  ///< false if cancelled; http::sleep_for
  const sys::Clock* clock = nullptr;
  Random* random = nullptr;
};

struct StatSenderCounters {
  std::uint64_t connects = 0;       ///< connections made
  std::uint64_t failures = 0;       ///< attempts that failed and connections lost
  std::uint64_t stats_sent = 0;     ///< replayed ones included
  std::uint64_t stats_dropped = 0;  ///< grew older than the replay window before they could be sent
  std::uint64_t wakes_sent = 0;
};

/// A StatSink that sends. Keeps every stat for replay_window; a new connection first gets all of
/// them again, each with its true age, oldest first, since the receiver may have lost its memory
/// (it drops duplicates). A peer that reads slowly loses the oldest stats first. Wakes go before
/// stats; of those that could not be sent only the newest per revision is kept, and not for longer
/// than wake_lifetime: one that is late would start a replica for nobody.
/// Delay between attempts: first_delay, doubled up to max_delay, each times a random factor in
/// [0.5, 1); it begins anew after a connection that lasted for max_delay.
/// Owner: the service whose stats they are. Thread: the io thread. To be destroyed when stop() has
/// ended, or when the io_context runs no more.
class StatSender final : public StatSink {
 public:
  /// `on_change(true)` when a connection was made, `on_change(false)` when it was lost; may be
  /// empty.
  StatSender(http::net::io_context& io, StatSenderWorld world, StatSenderOptions options = {},
             std::function<void(bool connected)> on_change = {});
  ~StatSender() override;
  StatSender(const StatSender&) = delete;
  StatSender& operator=(const StatSender&) = delete;

  /// Begins to connect. Once.
  void start();

  void accept(const Stat& stat) override;
  void accept(const Wake& wake) override;

  bool connected() const { return connected_; }
  StatSenderCounters counters() const;

  /// Sends what waits if it is connected, closes, and ends by `deadline` at the latest; what could
  /// not be sent by then is lost.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Awaitable<void> run();
  http::Awaitable<Error> serve(http::WebSocket& socket);
  http::Awaitable<void> read_until_lost(http::WebSocket& socket, Error& why);
  http::Awaitable<void> write_what_waits(http::WebSocket& socket, Error& why);
  http::Awaitable<Result<void>> write_next(http::WebSocket& socket);
  void drop_late_wakes();
  bool has_something_to_send() const { return !wakes_.empty() || history_.waiting() > 0; }
  http::Awaitable<void> wait_for_news();
  void set_connected(bool connected);
  void tell_outage(const Error& why);

  StatSenderWorld world_;
  StatSenderOptions options_;
  std::function<void(bool)> on_change_;
  SourceHistory history_;
  struct KeptWake {
    Wake wake;
    TimePoint said{};
  };
  std::map<RevisionId, KeptWake> wakes_;  // the newest of each that waits to be sent
  http::Timer news_;                      // cancelled to say: there is something to send
  StatSenderCounters counters_;
  bool connected_ = false;
  bool stopping_ = false;
  bool is_outage_told_ = false;
  http::TaskGroup tasks_;
};

}  // namespace bellows::metrics
