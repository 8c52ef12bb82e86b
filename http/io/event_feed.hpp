// Server-sent events (WHATWG HTML 9.2): a response that continues as long as its client reads it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "http/io/message.hpp"

namespace bellows::http {

/// Interval at which a feed is polled.
inline constexpr Duration kEventPeriod = std::chrono::seconds(1);

/// Produces the events for one client. The server polls it, so nothing queues for a slow client: it
/// gets the newest state once it has read the last one. Owner: the connection; destroyed with it.
/// Thread: the io thread.
class EventFeed {
 public:
  virtual ~EventFeed() = default;
  /// Returns what is new since the last call, as text/event-stream; empty if nothing is.
  virtual std::string next() = 0;
};

/// Makes the feed for a request. Objects that it refers to must outlive the server's stop().
/// nullptr: there are too many feeds (503).
using EventSource = std::function<std::unique_ptr<EventFeed>(const Request&)>;

/// Appends one event. `data` has no line break.
inline void append_event(std::string_view event, std::string_view data, std::string& out) {
  out.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace bellows::http
