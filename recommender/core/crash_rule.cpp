#include "recommender/core/crash_rule.hpp"

#include <limits>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

bool CrashRule::fires(bool is_looping, WallTime now, const config::SpikeSettings& settings) {
  if (!is_looping && crashes_ < settings.num_crashes) return false;
  if (is_waiting(now)) return false;
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

}  // namespace bellows::recommender
