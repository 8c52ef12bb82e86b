#include "proxy/core/keep_alive_time.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/read_number.hpp"

namespace bellows::proxy {

namespace {

constexpr std::uint32_t kMostSeconds = 24 * 60 * 60;

}  // namespace

std::optional<Duration> promised_keep_alive(const http::Fields& response) {
  const auto value = response.find(http::FieldId::kKeepAlive);
  if (!value) return std::nullopt;
  std::optional<Duration> promised;
  http::for_each_token(*value, [&](std::string_view parameter) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) return;
    if (!http::equals_lower(http::trim_ows(parameter.substr(0, equals)), "timeout")) return;
    const auto seconds = read_number<std::uint32_t>(http::trim_ows(parameter.substr(equals + 1)));
    if (seconds) promised = std::chrono::seconds(std::min(*seconds, kMostSeconds));
  });
  return promised;
}

void KeepAliveTime::note_end(Duration idle, TimePoint now) {
  const bool is_forgotten = shortest_ && now - shortest_->at >= kMemory;
  if (!shortest_ || is_forgotten || idle <= shortest_->idle) shortest_ = Seen{idle, now};
}

Duration KeepAliveTime::safe(TimePoint now) const {
  std::optional<Duration> known = promised_;
  if (shortest_ && now - shortest_->at < kMemory) {
    known = known ? std::min(*known, shortest_->idle) : shortest_->idle;
  }
  return known ? *known / 2 : kUnknown;
}

}  // namespace bellows::proxy
