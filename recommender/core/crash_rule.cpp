#include "recommender/core/crash_rule.hpp"

#include <limits>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

/// A series of crashes ends when there was none for this long.
constexpr Duration kQuietTime = std::chrono::hours(24);

}  // namespace

bool CrashRule::fires(bool is_looping, WallTime now, const config::SpikeSettings& settings) {
  if (!is_looping && crashes_ < settings.num_crashes) return false;
  if (is_waiting(now, settings)) return false;
  crashes_ = 0;
  is_waiting_ = true;
  fired_ = now;
  return true;
}

void CrashRule::save(json::Writer& line) const {
  line.open("crashes").integer("count", crashes_).flag("waiting", is_waiting_);
  saved::write(line, "fired", fired_);
  line.close();
}

Result<void> CrashRule::restore(const json::Object& saved) {
  BELLOWS_TRY(const auto object, saved.object("crashes"));
  BELLOWS_TRY(crashes_, object.integer("count", 0, std::numeric_limits<std::int64_t>::max()));
  BELLOWS_TRY(is_waiting_, object.flag("waiting"));
  BELLOWS_TRY(fired_, saved::read_time(object, "fired"));
  return {};
}

void CrashSeries::crashed(WallTime at, std::int32_t max_doublings,
                          const config::SpikeSettings& settings) {
  const bool is_last = doublings_ >= max_doublings;
  is_doubling_futile_ |= is_last && !rule_.is_waiting(at, settings);
  rule_.crashed();
  last_crash_ = at;
}

bool CrashSeries::ends(bool is_looping, WallTime now) {
  if (is_looping) return false;
  if (last_crash_ != WallTime::min() && now - last_crash_ <= kQuietTime) return false;
  doublings_ = 0;
  is_doubling_futile_ = false;
  return true;
}

bool CrashSeries::doubles(bool is_looping, WallTime now, std::int32_t max_doublings,
                          const config::SpikeSettings& settings) {
  if (doublings_ >= max_doublings) return false;
  if (!rule_.fires(is_looping, now, settings)) return false;
  ++doublings_;
  return true;
}

void CrashSeries::save(json::Writer& line) const {
  rule_.save(line);
  line.integer("doublings", doublings_).flag("in-vain", is_doubling_futile_);
  saved::write(line, "last-crash", last_crash_);
}

Result<void> CrashSeries::restore(const json::Object& saved) {
  BELLOWS_CHECKED(rule_.restore(saved));
  BELLOWS_TRY(const std::int64_t doublings,
              saved.integer("doublings", 0, std::numeric_limits<std::int32_t>::max()));
  doublings_ = static_cast<std::int32_t>(doublings);
  if (saved.has("in-vain")) {
    BELLOWS_TRY(is_doubling_futile_, saved.flag("in-vain"));
  }
  BELLOWS_TRY(last_crash_, saved::read_time(saved, "last-crash"));
  return {};
}

}  // namespace bellows::recommender
