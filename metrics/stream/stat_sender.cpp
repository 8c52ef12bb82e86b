#include "metrics/stream/stat_sender.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "base/sys/log.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

namespace net = http::net;

// Cancelled tasks end in the next turn of the io thread; this timeout guarantees that stop() ends.
constexpr Duration kCutOff = std::chrono::milliseconds(100);

/// Keeps the first loss; cancellations that follow from it do not count.
void note_loss(const Error& error, Error& why) {
  if (why.kind() == ErrorKind::kCancelled) why = error;
}

}  // namespace

Duration jittered(Duration delay, Random& random) {
  return from_seconds(to_seconds(delay) * (0.5 + random.fraction() / 2));
}

StatSender::StatSender(http::net::io_context& io, StatSenderWorld world, StatSenderOptions options,
                       StatSenderCallbacks callbacks)
    : StatSender(io, std::move(world), options, std::move(callbacks),
                 SourceHistory(options.replay_window, options.max_kept)) {}

StatSender::StatSender(http::net::io_context& io, StatSenderWorld world, StatSenderOptions options,
                       StatSenderCallbacks callbacks, SourceHistory history)
    : world_(std::move(world)),
      options_(options),
      callbacks_(std::move(callbacks)),
      history_(std::move(history)),
      work_(io.get_executor(), http::AsioTimer::time_point::max()),
      tasks_(io) {
  CHECK(world_.connect && world_.sleep && world_.clock != nullptr && world_.random != nullptr,
        "a sender has its dependencies");
}

StatSender::~StatSender() = default;

void StatSender::start() {
  tasks_.spawn("stat sender", [this] { return run(); });
}

void StatSender::accept(const Stat& stat) {
  history_.add(stat, world_.clock->now());
  work_.cancel();
}

void StatSender::accept(const ScaleFromZeroTrigger& trigger) {
  triggers_.insert_or_assign(trigger.revision, KeptTrigger{trigger, world_.clock->now()});
  work_.cancel();
}

StatSenderCounters StatSender::counters() const {
  StatSenderCounters counters = counters_;
  counters.stats_dropped = history_.dropped();
  return counters;
}

http::Awaitable<void> StatSender::run() {
  Duration delay = options_.first_delay;
  while (!stopping_) {
    const Result<std::unique_ptr<http::WebSocket>> socket = co_await world_.connect();
    const TimePoint began = world_.clock->now();
    Error why(ErrorKind::kCancelled, "", "");
    if (socket) {
      why = co_await serve(**socket);
    } else {
      why = socket.error();
    }
    if (stopping_ || why.kind() == ErrorKind::kCancelled) co_return;
    ++counters_.failures;
    // A peer that accepts and closes at once does not get a quick retry.
    const bool has_lasted = socket && world_.clock->now() - began >= options_.max_delay;
    if (has_lasted) delay = options_.first_delay;
    log_end(why, has_lasted);
    is_closed_at_once_ = socket && !has_lasted;
    const bool slept = co_await world_.sleep(jittered(delay, *world_.random));
    if (!slept) co_return;
    delay = std::min(2 * delay, options_.max_delay);
  }
}

/// Runs until the connection is lost, or all is sent and the sender stops. Returns why it ended;
/// kCancelled if it was not lost.
http::Awaitable<Error> StatSender::serve(http::WebSocket& socket) {
  ++counters_.connects;
  if (!is_closed_at_once_) {
    sys::log::info("connected, sending stats",
                   {{"to", socket.peer()}, {"replayed", history_.kept()}});
  }
  history_.replay();
  answer_.reset();
  is_bad_order_logged_ = false;
  Error why(ErrorKind::kCancelled, socket.peer(), "not lost");
  set_connected(true);
  std::exception_ptr exception;
  try {
    using namespace net::experimental::awaitable_operators;  // |: the first to end ends the other
    co_await (read_until_lost(socket, why) || write_waiting(socket, why));
  } catch (...) {
    exception = std::current_exception();
  }
  set_connected(false);
  const auto cancellation = co_await net::this_coro::cancellation_state;
  const bool is_stopped = cancellation.cancelled() != net::cancellation_type::none;
  if (exception && !is_stopped) std::rethrow_exception(exception);
  co_return why;
}

/// Reads until the connection is lost, which also answers pings. The receiver sends settings.
http::Awaitable<void> StatSender::read_until_lost(http::WebSocket& socket, Error& why) {
  while (true) {
    const Result<std::string> message = co_await socket.read();
    if (!message) {
      note_loss(message.error(), why);
      co_return;
    }
    take(*message);
  }
}

/// Stats matter more than a message that cannot be read, so the connection stays.
void StatSender::take(const std::string& bytes) {
  const Result<Message> message = decode(bytes, kMaxOrderBytes);
  const auto* const order = message ? std::get_if<SettingsOrder>(&*message) : nullptr;
  if (order == nullptr) {
    if (std::exchange(is_bad_order_logged_, true)) return;
    sys::log::warning(
        "ignoring a message of the autoscaler",
        {{"error", message ? "it is of a type for the autoscaler" : to_string(message.error())}});
    return;
  }
  if (!callbacks_.on_settings) return;
  answer_ = callbacks_.on_settings(*order);
  work_.cancel();
}

http::Awaitable<void> StatSender::write_waiting(http::WebSocket& socket, Error& why) {
  while (true) {
    while (!has_something_to_send()) {
      if (stopping_) {
        co_await socket.close("the sender stops");  // while read_until_lost() still reads
        co_return;
      }
      co_await wait_for_work();
    }
    const Result<void> sent = co_await write_next(socket);
    if (sent) continue;
    note_loss(sent.error(), why);
    co_return;
  }
}

void StatSender::drop_late_triggers() {
  const TimePoint now = world_.clock->now();
  std::erase_if(triggers_, [&](const auto& kept) {
    return now - kept.second.received > options_.trigger_lifetime;
  });
}

http::Awaitable<Result<void>> StatSender::write_next(http::WebSocket& socket) {
  if (answer_) {
    const std::string bytes = encode(*std::exchange(answer_, std::nullopt));
    co_return co_await socket.write(bytes);
  }
  drop_late_triggers();
  if (triggers_.empty()) {
    const std::optional<Stat> stat = history_.next(world_.clock->now());
    if (!stat) co_return Result<void>();  // it has just become too old
    const std::string bytes = encode(*stat);
    const Result<void> sent = co_await socket.write(bytes);
    if (sent) ++counters_.stats_sent;
    co_return sent;
  }
  const KeptTrigger kept = std::move(triggers_.extract(triggers_.begin()).mapped());
  const std::string bytes = encode(kept.trigger);
  const Result<void> sent = co_await socket.write(bytes);
  if (sent) {
    ++counters_.triggers_sent;
  } else {
    triggers_.emplace(kept.trigger.revision, kept);  // unless a newer one arrived meanwhile
  }
  co_return sent;
}

http::Awaitable<void> StatSender::wait_for_work() {
  boost::system::error_code always_cancelled;
  co_await work_.async_wait(http::awaiting(always_cancelled));
}

void StatSender::set_connected(bool connected) {
  connected_ = connected;
  if (callbacks_.on_change) callbacks_.on_change(connected);
}

/// Logs one line per outage rather than one per attempt. The end of a connection that lasted is
/// none: an autoscaler restarts, or ends the connection with the token that began it.
void StatSender::log_end(const Error& why, bool has_lasted) {
  if (has_lasted) {
    sys::log::info("the connection for stats has ended, connecting again",
                   {{"because", to_string(why)}});
    is_outage_logged_ = false;
    return;
  }
  if (std::exchange(is_outage_logged_, true)) return;
  sys::log::warning("cannot send stats, keeping them to send later", {{"error", to_string(why)}});
}

http::Awaitable<void> StatSender::stop(TimePoint deadline) {
  stopping_ = true;
  work_.cancel();
  if (!connected_) tasks_.stop();
  const Result<void> has_ended = co_await tasks_.join(deadline);
  if (has_ended) co_return;
  tasks_.stop();
  (void)co_await tasks_.join(deadline + kCutOff);
}

}  // namespace bellows::metrics
