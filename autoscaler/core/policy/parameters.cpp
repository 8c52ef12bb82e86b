#include "autoscaler/core/policy/parameters.hpp"

#include "base/duration_text.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler {

Result<PodCount> count_of(const json::Object& object, std::string_view key, PodCount min,
                          PodCount max) {
  BELLOWS_TRY(const std::int64_t count, object.integer(key, min, max));
  return static_cast<PodCount>(count);
}

Result<Duration> time_of(const json::Object& object, std::string_view key, Duration min,
                         Duration max) {
  BELLOWS_TRY(const Duration value, object.seconds(key));
  if (value >= min && value <= max) return value;
  return fail(
      object.invalid(key, "a time from " + duration_text(min) + " to " + duration_text(max)));
}

Result<std::optional<TimePoint>> instant_of(const json::Object& object, std::string_view key,
                                            TimePoint at) {
  if (!object.has(key)) return std::nullopt;
  BELLOWS_TRY(const double age, object.number(key, {-json::kMaxSeconds, json::kMaxSeconds}));
  return at - json::exact_seconds(age);
}

}  // namespace bellows::autoscaler
