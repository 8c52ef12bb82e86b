// Server-sent events (WHATWG HTML 9.2): a response that goes on as long as its client reads it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "http/io/message.hpp"

namespace bellows::http {

/// How often a feed is asked for what is new.
inline constexpr Duration kEventPeriod = std::chrono::seconds(1);

/// What one client is told. It is asked, so nothing queues up for a client that reads slowly: it
/// gets the newest state once it has read the last one. Owner: the connection; destroyed with it.
/// Thread: the io thread.
class EventFeed {
 public:
  virtual ~EventFeed() = default;
  /// What is new since the last call, as text/event-stream; empty: nothing.
  virtual std::string next() = 0;
};

/// The feed for a request; what it refers to outlives the server's stop(). nullptr: there are too
/// many (503).
using EventSource = std::function<std::unique_ptr<EventFeed>(const Request&)>;

/// Appends one event. `data` has no line break.
inline void append_event(std::string_view event, std::string_view data, std::string& out) {
  out.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace bellows::http
