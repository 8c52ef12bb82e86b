#include "autoscaler/slow/jumps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

constexpr double kTimes = 3;          // as many arrivals as before
constexpr double kLeastArrived = 30;  // in three seconds
/// The load, as a part of the new one, below which the rise is a scale from zero, which is the
/// user's choice.
constexpr double kLeastBefore = 0.01;
constexpr double kKnownSeconds = 180;
/// The seconds of the means at the end of a jump, without its first ones, which include the
/// requests that queued until replicas were ready.
constexpr double kRecent = 20;
/// The seconds whose arrivals define the load of a burst that ends within the minute.
constexpr double kBurst = 15;
constexpr double kStays = 2;  // times what was before
/// The time for which replicas are kept after the last jump: a load has a course of hours, and
/// jumps only in a part of it.
constexpr Duration kKept = 3h;
/// Missed seconds of an hour from which on replicas are kept: 0.7 % of it.
constexpr double kTooMany = 25;

}  // namespace

bool JumpWatch::begins(TimePoint at, double arrived) {
  const double mean = (arrived + before_ + earlier_) / 3;
  const bool is_sudden = 3 * mean >= kLeastArrived && mean >= kTimes * usual_;
  if (known_ < kKnownSeconds || !is_sudden) return false;
  if (usual_ < kLeastBefore * mean) {
    usual_ = mean;
    return false;
  }
  jump_ = {.at = at};
  first_ = late_ = 0;
  arrived_ = usual_;
  load_ = usual_load_;
  return true;
}

JumpWatch::Missed JumpWatch::conclude() {
  const double time = usual_ > 0 ? usual_load_ / usual_ : 0;  // of a request, by Little's law
  const double before = std::exchange(usual_, arrived_);
  usual_load_ = load_;
  watched_ = 0;
  const bool stays = usual_ >= kStays * before;
  if (!stays && first_ < kBurst * kStays * before) return {.by_jumps = 0, .otherwise = late_};
  jump_.load = stays ? usual_load_ : first_ / kBurst * time;
  jumps_.push_back(jump_);
  return {.by_jumps = late_, .otherwise = 0};
}

JumpWatch::Missed JumpWatch::watch(double arrived, double in_flight, bool is_missed,
                                   bool is_waiting) {
  watched_ += 1;
  if (is_missed) late_ += 1;
  if (is_missed || is_waiting) jump_.missed += 1;
  if (watched_ <= kBurst) first_ += arrived;
  arrived_ += (arrived - arrived_) / kRecent;
  load_ += (in_flight - load_) / kRecent;
  return watched_ >= kMinute ? conclude() : Missed{};
}

JumpWatch::Missed JumpWatch::add(TimePoint at, double arrived, double in_flight, bool is_missed,
                                 bool is_waiting) {
  const bool is_watched = watched_ > 0 || begins(at, arrived);
  earlier_ = std::exchange(before_, arrived);
  known_ += 1;
  if (is_watched) return watch(arrived, in_flight, is_missed, is_waiting);
  usual_ += (arrived - usual_) / kMinute;
  usual_load_ += (in_flight - usual_load_) / kMinute;
  return {.by_jumps = 0, .otherwise = is_missed ? 1.0 : 0.0};
}

std::vector<Jump> JumpWatch::take() {
  return std::exchange(jumps_, {});
}

void record_jumps(JumpRecord& record, const std::vector<Jump>& seen, TimePoint now) {
  record.jumps.insert(record.jumps.end(), seen.begin(), seen.end());
  const Duration remembered = record.is_kept ? kKept : Duration(1h);
  std::erase_if(record.jumps,
                [&](const Jump& jump) { return jump.at > now || now - jump.at > remembered; });
  if (record.jumps.empty()) record.is_kept = false;
  double missed = 0;
  for (const Jump& jump : record.jumps) missed += jump.missed;
  const bool is_too_often = record.jumps.size() >= 2 && missed > kTooMany;
  record.is_kept = record.is_kept || is_too_often;
}

double kept_load(const JumpRecord& record, double share) {
  if (!record.is_kept) return 0;
  double load = 0;
  for (std::size_t i = record.jumps.size() < 2 ? 0 : record.jumps.size() - 2;
       i < record.jumps.size(); ++i) {
    load = std::max(load, record.jumps[i].load);
  }
  return share * load;
}

}  // namespace bellows::autoscaler::slow
