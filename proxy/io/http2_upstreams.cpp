#include "proxy/io/http2_upstreams.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace bellows::proxy {

namespace {

/// Time after which the endpoint is tried again, because a process that speaks HTTP/2 may listen
/// there by then.
constexpr Duration kOtherTime = std::chrono::minutes(1);

/// Time after which a connection without a stream is closed if another one to the same endpoint has
/// no stream either. One has room for a hundred streams, and each costs a hundred kilobytes on both
/// sides.
constexpr Duration kSurplusTime = std::chrono::seconds(10);

}  // namespace

Duration Http2Upstreams::surplus_time() const {
  return std::min(idle_timeout_, kSurplusTime);
}

std::size_t Http2Upstreams::EndpointHash::operator()(const Endpoint& endpoint) const noexcept {
  return std::hash<std::string_view>()(endpoint.is_unix() ? endpoint.unix_path : endpoint.host) ^
         endpoint.port;
}

Http2Upstreams::~Http2Upstreams() = default;

/// Checks the connections too, because the end of such a connection is recorded after its streams
/// have seen it.
bool Http2Upstreams::is_spoken_by(const Endpoint& endpoint) const {
  const auto other = others_.find(endpoint);
  if (other != others_.end() && reactor_.now() < other->second) return false;
  const auto found = by_endpoint_.find(endpoint);
  return found == by_endpoint_.end() || std::ranges::none_of(found->second, [](const Entry& entry) {
           return entry.connection->is_other_protocol();
         });
}

std::unique_ptr<http::Connection> Http2Upstreams::open_stream(const Endpoint& endpoint) {
  const auto found = by_endpoint_.find(endpoint);
  if (found == by_endpoint_.end()) return nullptr;
  for (Entry& entry : found->second) {
    if (entry.connection->may_open()) return entry.connection->open_stream();
  }
  return nullptr;
}

void Http2Upstreams::add(const Endpoint& endpoint, std::unique_ptr<http::Connection> transport,
                         std::size_t* open) {
  const auto place = by_endpoint_.try_emplace(endpoint).first;  // its key stays where it is
  Entries& entries = place->second;
  entries.emplace_back(open);
  const auto entry = std::prev(entries.end());
  entry->connection = std::make_unique<http2::ClientConnection>(
      reactor_, std::move(transport), "http", limits_, abuses_, to_string(endpoint),
      [this, key = &place->first, entry] { note_change(*key, entry); });
}

/// Removes a connection that has ended. It is also called for each stream that ends. Responses that
/// arrived before the end of their connection are still read from it, so it stays until its last
/// stream is closed.
void Http2Upstreams::note_change(const Endpoint& endpoint, Entries::iterator entry) {
  if (!entry->connection->has_ended()) return;
  if (entry->connection->is_other_protocol()) {
    const TimePoint now = reactor_.now();
    std::erase_if(others_, [now](const auto& other) { return other.second <= now; });
    others_[endpoint] = now + kOtherTime;
  }
  if (entry->connection->open_streams() > 0) return;
  const auto place = by_endpoint_.find(endpoint);
  place->second.erase(entry);
  if (place->second.empty()) by_endpoint_.erase(place);
}

void Http2Upstreams::drain() {
  for (auto& [endpoint, entries] : by_endpoint_) {
    for (Entry& entry : entries) entry.connection->drain();
  }
}

TimePoint Http2Upstreams::sweep(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (auto& [endpoint, entries] : by_endpoint_) {
    Duration most = idle_timeout_;
    for (Entry& entry : entries) {
      const TimePoint since = entry.connection->idle_since();
      if (since == TimePoint::max()) {
        next = std::min(next, now + surplus_time());
      } else if (since + most <= now) {
        entry.connection->drain();
      } else {
        next = std::min(next, since + most);
        most = surplus_time();
      }
    }
  }
  return next;
}

bool Http2Upstreams::close_oldest_idle() {
  Entry* oldest = nullptr;
  for (auto& [endpoint, entries] : by_endpoint_) {
    for (Entry& entry : entries) {
      const TimePoint since = entry.connection->idle_since();
      if (since == TimePoint::max() || entry.connection->has_ended()) continue;
      if (oldest == nullptr || since < oldest->connection->idle_since()) oldest = &entry;
    }
  }
  if (oldest == nullptr) return false;
  oldest->connection->close();
  return true;
}

std::size_t Http2Upstreams::idle() const {
  std::size_t sum = 0;
  for (const auto& [endpoint, entries] : by_endpoint_) {
    sum += static_cast<std::size_t>(std::ranges::count_if(entries, [](const Entry& entry) {
      return entry.connection->idle_since() != TimePoint::max();
    }));
  }
  return sum;
}

}  // namespace bellows::proxy
