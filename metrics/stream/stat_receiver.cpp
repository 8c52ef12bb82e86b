#include "metrics/stream/stat_receiver.hpp"

#include <string>
#include <utility>
#include <variant>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

constexpr std::size_t kMaxCloseReasonBytes = 123;  // RFC 6455, 5.5: 125 minus the code

/// Counts one open connection while it and its receiver live.
class OpenConnection {
 public:
  OpenConnection(std::int64_t& open, Lifetime::Observer receiver)
      : open_(open), receiver_(std::move(receiver)) {
    ++open_;
  }
  ~OpenConnection() {
    if (receiver_) --open_;
  }
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

 private:
  std::int64_t& open_;
  const Lifetime::Observer receiver_;
};

bool is_fault_of_sender(ErrorKind kind) {
  return kind == ErrorKind::kMalformed || kind == ErrorKind::kTooLarge ||
         kind == ErrorKind::kUnsupported;
}

}  // namespace

http::Awaitable<void> StatReceiver::serve(http::WebSocket& socket, StatSink& sink) {
  ++counters_.connections;
  const OpenConnection open(open_, lifetime_.observe());
  while (true) {
    const Result<void> taken = take(co_await socket.read(), sink);
    if (taken) continue;
    // Any other end has no culprit: the sender disconnected, or this server is stopping.
    if (!is_fault_of_sender(taken.error().kind())) co_return;
    ++counters_.bad_messages;
    const std::string reason = to_string(taken.error());
    warn(socket.peer(), reason);
    co_await socket.close(std::string_view(reason).substr(0, kMaxCloseReasonBytes));
    co_return;
  }
}

/// Limits the log, because a sender of another version reconnects each second, and any client can
/// send garbage.
void StatReceiver::warn(const std::string& peer, const std::string& reason) {
  if (!warnings_.allow(sys::system_clock().now())) return;
  sys::log::warning(
      "closing a stat connection after an invalid message",
      {{"peer", peer}, {"error", reason}, {"not_logged_before", warnings_.take_refused()}});
}

Result<void> StatReceiver::take(const Result<std::string>& bytes, StatSink& sink) {
  if (!bytes) return fail(bytes.error());
  BELLOWS_TRY(const Message message, decode(*bytes));
  if (const auto* const stat = std::get_if<Stat>(&message)) {
    ++counters_.stats;
    sink.accept(*stat);
  } else if (const auto* const trigger = std::get_if<ScaleFromZeroTrigger>(&message)) {
    ++counters_.triggers;
    sink.accept(*trigger);
  } else if (const auto* const taken = std::get_if<SettingsTaken>(&message)) {
    sink.answered(*taken);
  } else {
    return fail(ErrorKind::kMalformed, "type", "\"settings\": only queue-proxies take them");
  }
  return {};
}

}  // namespace bellows::metrics
