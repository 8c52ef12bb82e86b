#include "http/h2/core/abuse.hpp"

#include <algorithm>

namespace bellows::http2 {

namespace {

RateLimit bucket(const Rate& rate) {
  const std::uint32_t per_second = std::max<std::uint32_t>(rate.per_second, 1);
  return {static_cast<std::int32_t>(rate.burst), Duration(std::chrono::seconds(1)) / per_second};
}

}  // namespace

// The names are ordered as Abuse, and so are the rates below.
std::string_view abuse_name(Abuse abuse) {
  static constexpr std::array<std::string_view, kAbuses> kNames = {
      "peer_resets",    "caused_resets", "settings",       "pings",         "priorities",
      "window_updates", "empty_data",    "unknown_frames", "continuations", "header_block",
      "unread_replies", "late_head",     "stalled",        "closed_window", "protocol_error",
      "large_head",     "malformed"};
  return kNames[static_cast<std::size_t>(abuse)];
}

AbuseMeter::AbuseMeter(const Limits& limits)
    : buckets_{bucket(limits.peer_resets), bucket(limits.caused_resets),
               bucket(limits.settings),    bucket(limits.pings),
               bucket(limits.priorities),  bucket(limits.window_updates),
               bucket(limits.empty_data),  bucket(limits.unknown_frames)} {}

bool AbuseMeter::note(Abuse abuse, TimePoint now) {
  const auto i = static_cast<std::size_t>(abuse);
  return i >= buckets_.size() || !buckets_[i].allow(now);
}

std::optional<std::uint64_t> AbuseCounters::note(Abuse abuse, TimePoint now) {
  Row& row = rows_[index(abuse)];
  ++row.count;
  if (!row.lines.allow(now)) return std::nullopt;
  const std::uint64_t news = row.count - row.told;
  row.told = row.count;
  return news;
}

AbuseCounts AbuseCounters::counts() const {
  AbuseCounts counts{};
  for (std::size_t i = 0; i < kAbuses; ++i) counts[i] = rows_[i].count;
  return counts;
}

}  // namespace bellows::http2
