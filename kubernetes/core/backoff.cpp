#include "kubernetes/core/backoff.hpp"

#include <algorithm>
#include <charconv>

#include "base/text_parts.hpp"

namespace bellows::kubernetes {

Duration Backoff::next(Random& random) {
  Duration bound = limits_.first;
  for (int i = 0; i < failures_ && bound < limits_.longest; ++i) bound *= 2;
  bound = std::min(bound, limits_.longest);
  ++failures_;
  return with_jitter(bound / 2, 1.0, random);
}

Duration with_jitter(Duration span, double fraction, Random& random) {
  const double extra = static_cast<double>(span.count()) * fraction * random.fraction();
  return span + Duration(static_cast<Duration::rep>(extra));
}

std::optional<Duration> parse_retry_after(std::string_view value) {
  constexpr int kLongest = 3600;
  value = trimmed(value);
  unsigned seconds = 0;
  const auto [stop, code] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (value.empty() || stop != value.data() + value.size()) return std::nullopt;
  if (code == std::errc::result_out_of_range) return std::chrono::seconds(kLongest);
  if (code != std::errc()) return std::nullopt;
  return std::chrono::seconds(std::min<unsigned>(seconds, kLongest));
}

}  // namespace bellows::kubernetes
