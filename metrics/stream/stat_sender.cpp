#include "metrics/stream/stat_sender.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "base/sys/log.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

using http::net::experimental::awaitable_operators::operator||;

/// True while it lives; says so on both ends, however the coroutine is left.
class ConnectedScope {
 public:
  ConnectedScope(bool& connected, const std::function<void(bool)>& on_change)
      : connected_(connected), on_change_(on_change) {
    change(true);
  }
  ~ConnectedScope() { change(false); }
  ConnectedScope(const ConnectedScope&) = delete;
  ConnectedScope& operator=(const ConnectedScope&) = delete;

 private:
  void change(bool connected) {
    connected_ = connected;
    if (on_change_) on_change_(connected);
  }

  bool& connected_;
  const std::function<void(bool)>& on_change_;
};

// What is cancelled ends in the io thread's next turn; this is only so that stop() ends for sure.
constexpr Duration kCutOff = std::chrono::milliseconds(100);

Duration jittered(Duration delay, Random& random) {
  return from_seconds(to_seconds(delay) * (0.5 + random.fraction() / 2));
}

}  // namespace

StatSender::StatSender(http::net::io_context& io, StatSenderWorld world, StatSenderOptions options,
                       std::function<void(bool connected)> on_change)
    : world_(std::move(world)),
      options_(options),
      on_change_(std::move(on_change)),
      history_(options.replay_window, options.max_kept),
      news_(io.get_executor()),
      tasks_(io) {
  CHECK(world_.connect && world_.sleep && world_.clock != nullptr && world_.random != nullptr,
        "a sender has something to stand on");
}

StatSender::~StatSender() = default;

void StatSender::start() {
  tasks_.spawn("stat sender", [this] { return run(); });
}

void StatSender::accept(const Stat& stat) {
  history_.add(stat, world_.clock->now());
  news_.cancel();
}

void StatSender::accept(const Wake& wake) {
  wakes_[wake.revision] = wake;
  news_.cancel();
}

StatSenderCounters StatSender::counters() const {
  StatSenderCounters counters = counters_;
  counters.stats_dropped = history_.dropped();
  return counters;
}

http::Task<void> StatSender::run() {
  Duration delay = options_.first_delay;
  while (!stopping_) {
    Result<std::unique_ptr<http::WebSocket>> socket = co_await world_.connect();
    const TimePoint began = world_.clock->now();
    const Error why = socket ? co_await serve(**socket) : std::move(socket).error();
    if (stopping_) co_return;
    ++counters_.failures;
    tell_outage(why);
    // A peer that takes the connection and drops it at once is not met with a quick attempt again.
    if (world_.clock->now() - began >= options_.max_delay) delay = options_.first_delay;
    if (!co_await world_.sleep(jittered(delay, *world_.random))) co_return;
    delay = std::min(2 * delay, options_.max_delay);
  }
}

/// Until the connection is lost, or all is sent and the sender is to stop. Why it ended.
http::Task<Error> StatSender::serve(http::WebSocket& socket) {
  ++counters_.connects;
  is_outage_told_ = false;
  sys::log::info("stats flow", {{"to", socket.peer()}, {"replayed", history_.kept()}});
  history_.replay();
  Error why(ErrorKind::kCancelled, socket.peer(), "stopping");
  {
    const ConnectedScope scope(connected_, on_change_);
    co_await (read_until_lost(socket, why) || write_what_waits(socket, why));
  }
  co_await socket.close(stopping_ ? "the sender stops" : "");
  co_return why;
}

/// The receiver says nothing in version 1; reading is how its end is noticed and pings answered.
http::Task<void> StatSender::read_until_lost(http::WebSocket& socket, Error& why) {
  while (true) {
    Result<std::string> message = co_await socket.read();
    if (message) continue;
    if (message.error().kind() != ErrorKind::kCancelled) why = std::move(message).error();
    co_return;
  }
}

http::Task<void> StatSender::write_what_waits(http::WebSocket& socket, Error& why) {
  while (true) {
    if (!wakes_.empty()) {
      const Wake wake = std::move(wakes_.extract(wakes_.begin()).mapped());
      const Result<void> sent = co_await socket.write(encode(wake));
      if (!sent) {
        wakes_.emplace(wake.revision, wake);  // unless a newer one came meanwhile
        why = sent.error();
        co_return;
      }
      ++counters_.wakes_sent;
    } else if (const auto stat = history_.next(world_.clock->now())) {
      const Result<void> sent = co_await socket.write(encode(*stat));
      if (!sent) {
        why = sent.error();
        co_return;
      }
      ++counters_.stats_sent;
    } else if (stopping_) {
      co_return;
    } else {
      co_await wait_for_news();
    }
  }
}

http::Task<void> StatSender::wait_for_news() {
  news_.expires_at(http::Timer::time_point::max());
  boost::system::error_code always_cancelled;
  co_await news_.async_wait(http::awaiting(always_cancelled));
}

/// One line per outage, not one per attempt.
void StatSender::tell_outage(const Error& why) {
  if (std::exchange(is_outage_told_, true)) return;
  sys::log::warning("stats do not flow; they are kept and sent later", {{"error", to_string(why)}});
}

http::Task<void> StatSender::stop(TimePoint deadline) {
  stopping_ = true;
  news_.cancel();
  if (!connected_) tasks_.stop();
  if (co_await tasks_.join(deadline)) co_return;
  tasks_.stop();
  (void)co_await tasks_.join(deadline + kCutOff);
}

}  // namespace bellows::metrics
