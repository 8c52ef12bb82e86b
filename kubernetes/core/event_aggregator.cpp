#include "kubernetes/core/event_aggregator.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "base/timestamp_text.hpp"
#include "json/writer.hpp"

namespace bellows::kubernetes {

namespace {

std::string group_key(const Event& event) {
  std::string key;
  for (const std::string* part :
       {&event.object.kind, &event.object.ns, &event.object.name, &event.object.uid, &event.type,
        &event.reason, &event.component}) {
    key += *part;
    key += '\n';
  }
  return key;
}

/// Returns the object's name and the instant, as client-go names events: "web.187a3f0c2b6d8e10".
/// Names of objects have at most 253 characters and so have those of events, so a long one is cut.
std::string event_name(const Event& event, WallTime at) {
  constexpr std::size_t kLongest = 253 - 17;
  std::array<char, 24> suffix{};
  std::snprintf(suffix.data(), suffix.size(), ".%llx",
                static_cast<unsigned long long>(at.time_since_epoch().count()));
  return event.object.name.substr(0, kLongest) + suffix.data();
}

std::string count_patch(std::int32_t count, WallTime last, const std::string& message) {
  return json::Writer()
      .integer("count", count)
      .text("lastTimestamp", timestamp_text(last))
      .text("message", message)
      .end();
}

}  // namespace

EventAggregator::Write EventAggregator::add(Event event, TimePoint now, WallTime at) {
  sweep(now);
  const std::string group_name = group_key(event);
  Group& group = groups_.try_emplace(group_name, Group{.messages = 0, .since = now, .last = now})
                     .first->second;
  if (now - group.since > kWindow) group = {.messages = 0, .since = now, .last = now};
  group.last = now;
  const bool is_folded = group.messages >= kMaxMessages;
  const std::string key = is_folded ? group_name : group_name + event.message;
  const auto found = known_.find(key);
  if (found == known_.end()) {
    if (!is_folded) ++group.messages;
    // Two events of one instant get different names.
    if (at <= last_named_) at = last_named_ + std::chrono::nanoseconds(1);
    last_named_ = at;
    event.meta.name = event_name(event, at);
    event.meta.ns = event.object.ns.empty() ? "default" : event.object.ns;
    event.count = 1;
    event.first = event.last = at;
    known_.emplace(key, Known{.name = event.meta.name, .count = 1, .first = at, .last = now});
    return {.event = std::move(event), .is_new = true, .patch = {}};
  }
  Known& known = found->second;
  ++known.count;
  known.last = now;
  event.meta.name = known.name;
  event.meta.ns = event.object.ns.empty() ? "default" : event.object.ns;
  event.count = known.count;
  event.first = known.first;
  event.last = at;
  std::string patch = count_patch(known.count, at, event.message);
  return {.event = std::move(event), .is_new = false, .patch = std::move(patch)};
}

void EventAggregator::forget(std::string_view name) {
  std::erase_if(known_, [name](const auto& entry) { return entry.second.name == name; });
}

/// Removes what has not happened for a window; the server stores events for an hour.
void EventAggregator::sweep(TimePoint now) {
  if (now - swept_ < kWindow / 10) return;
  swept_ = now;
  std::erase_if(known_, [now](const auto& entry) { return now - entry.second.last > kWindow; });
  std::erase_if(groups_, [now](const auto& entry) { return now - entry.second.last > kWindow; });
}

}  // namespace bellows::kubernetes
