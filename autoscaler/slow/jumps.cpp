#include "autoscaler/slow/jumps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

constexpr double kTimes = 3;          // as many arrivals as before
constexpr double kLeastArrived = 30;  // in three seconds
constexpr double kOfMost = 0.6;
/// A load of almost nothing is followed by a scale from zero, which is the user's choice.
constexpr double kLeastBefore = 0.01;
constexpr double kUsual = 60;
constexpr double kBusy = 20;
constexpr double kKnown = 180;
constexpr double kHalfLifeOfMost = 3600;
/// The first seconds of a jump have what piled up until replicas were ready.
constexpr double kFollowed = 25;
constexpr double kWatched = 60;
constexpr double kStays = 2;  // times what was before
constexpr Duration kHour = 1h;
constexpr Duration kLeastHistory = 10min;
constexpr std::size_t kMost = 8;
constexpr double kAllowed = 0.007;

}  // namespace

bool JumpWatch::begins(TimePoint at, double arrived) {
  const double mean = (arrived + before_ + earlier_) / 3;
  const bool is_sudden = 3 * mean >= kLeastArrived && mean >= kTimes * usual_;
  if (known_ < kKnown || !is_sudden || mean < kOfMost * most_) return false;
  if (usual_ < kLeastBefore * mean) {
    usual_ = mean;
    return false;
  }
  jump_ = {.at = at};
  later_ = load_ = 0;
  return true;
}

JumpWatch::Missed JumpWatch::conclude() {
  const double seconds = kWatched - kFollowed;
  const double before = std::exchange(usual_, later_ / seconds);
  watched_ = 0;
  if (usual_ < kStays * before) return {.by_jumps = 0, .otherwise = jump_.missed};
  jump_.load = load_ / seconds;
  jumps_.push_back(jump_);
  return {.by_jumps = jump_.missed, .otherwise = 0};
}

JumpWatch::Missed JumpWatch::watch(double arrived, double in_flight, bool is_missed) {
  watched_ += 1;
  if (is_missed) jump_.missed += 1;
  if (watched_ > kFollowed) {
    later_ += arrived;
    load_ += in_flight;
  }
  return watched_ < kWatched ? Missed{} : conclude();
}

JumpWatch::Missed JumpWatch::add(TimePoint at, double arrived, double in_flight, bool is_missed) {
  const bool is_watched = watched_ > 0 || begins(at, arrived);
  busy_ += (arrived - busy_) / kBusy;
  // What piled up arrives at once when replicas are ready, and again when they were killed.
  const double now = is_watched ? 0 : busy_;
  most_ = std::max(most_ * std::exp2(-1 / kHalfLifeOfMost), now);
  earlier_ = std::exchange(before_, arrived);
  known_ += 1;
  if (is_watched) return watch(arrived, in_flight, is_missed);
  usual_ += (arrived - usual_) / kUsual;
  return {.by_jumps = 0, .otherwise = is_missed ? 1.0 : 0.0};
}

std::vector<Jump> JumpWatch::take() {
  return std::exchange(jumps_, {});
}

void record_jumps(JumpRecord& record, const std::vector<Jump>& seen, TimePoint now,
                  TimePoint killed_at) {
  if (record.since == TimePoint{}) record.since = now;
  record.jumps.insert(record.jumps.end(), seen.begin(), seen.end());
  std::erase_if(record.jumps,
                [&](const Jump& jump) { return jump.at > now || now - jump.at > kHour; });
  if (record.jumps.size() > kMost)
    record.jumps.erase(record.jumps.begin(), record.jumps.end() - kMost);
  if (record.jumps.empty()) record.is_kept = false;
  double missed = 0;
  bool is_killed = false;
  for (const Jump& jump : record.jumps) {
    missed += jump.missed;
    const Duration after = killed_at - jump.at;
    is_killed = is_killed || (after > -5s && after < from_seconds(kWatched));
  }
  const double seconds = to_seconds(std::clamp(now - record.since, kLeastHistory, kHour));
  const bool is_too_often = record.jumps.size() >= 2 && missed > kAllowed * seconds;
  record.is_kept = record.is_kept || is_too_often || is_killed;
}

double kept_load(const JumpRecord& record) {
  if (!record.is_kept) return 0;
  double load = 0;
  for (std::size_t i = record.jumps.size() < 2 ? 0 : record.jumps.size() - 2;
       i < record.jumps.size(); ++i) {
    load = std::max(load, record.jumps[i].load);
  }
  return load;
}

}  // namespace bellows::autoscaler::slow
