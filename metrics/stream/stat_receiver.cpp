#include "metrics/stream/stat_receiver.hpp"

#include <string>
#include <utility>
#include <variant>

#include "base/sys/log.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

constexpr std::size_t kMaxCloseReasonBytes = 123;  // RFC 6455, 5.5: 125 less the code

/// Counts one open connection while it lives.
class OpenConnection {
 public:
  explicit OpenConnection(std::int64_t& open) : open_(open) { ++open_; }
  ~OpenConnection() { --open_; }
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

 private:
  std::int64_t& open_;
};

bool is_fault_of_sender(ErrorKind kind) {
  return kind == ErrorKind::kMalformed || kind == ErrorKind::kTooLarge ||
         kind == ErrorKind::kUnsupported;
}

}  // namespace

http::Awaitable<void> StatReceiver::serve(std::unique_ptr<http::WebSocket> socket) {
  ++counters_.connections;
  const OpenConnection open(open_);
  while (true) {
    const Result<void> taken = take(co_await socket->read());
    if (taken) continue;
    // Anything else is an end without a culprit: the sender left, or this server is stopping.
    if (!is_fault_of_sender(taken.error().kind())) co_return;
    ++counters_.bad_messages;
    const std::string reason = to_string(taken.error());
    sys::log::warning("closing a stat connection after an invalid message",
                      {{"peer", socket->peer()}, {"error", reason}});
    co_await socket->close(std::string_view(reason).substr(0, kMaxCloseReasonBytes));
    co_return;
  }
}

Result<void> StatReceiver::take(const Result<std::string>& bytes) {
  if (!bytes) return fail(bytes.error());
  BELLOWS_TRY(const Message message, decode(*bytes));
  if (const Stat* stat = std::get_if<Stat>(&message)) {
    ++counters_.stats;
    sink_.accept(*stat);
  } else {
    ++counters_.triggers;
    sink_.accept(std::get<ScaleFromZeroTrigger>(message));
  }
  return {};
}

}  // namespace bellows::metrics
