#include "simulator/load_profile.hpp"

#include <algorithm>
#include <utility>

#include "simulator/event_queue.hpp"

namespace bellows::simulator {
namespace {

constexpr Duration kOneSecond = std::chrono::seconds(1);
struct Empty {};

/// The requests in one stage: their number, and its integral over each second.
class Stage {
 public:
  /// Uses the length and the warm-up of `profile`.
  Stage(std::size_t seconds, const LoadProfile& profile)
      : length_(profile.length), counted_from_(profile.warm_up) {
    busy_.mean.resize(seconds);
    busy_.max_at_once.resize(seconds);
  }

  /// Calls are in the order of `at`.
  void enter(Duration at, Duration duration) {
    leave_until(at);
    advance(at);
    ++inside_;
    if (at >= counted_from_) busy_.max = std::max(busy_.max, inside_);
    auto& max = busy_.max_at_once;
    if (second_ < max.size()) max[second_] = std::max(max[second_], inside_);
    ends_.add(TimePoint(at + duration), {});
    if (at >= counted_from_) busy_.seconds += to_seconds(std::min(at + duration, length_) - at);
  }
  Busy finish() {
    leave_until(length_);
    advance(length_);
    return std::move(busy_);
  }

 private:
  void leave_until(Duration until) {
    while (ends_.next() <= TimePoint(until)) {
      advance(ends_.next().time_since_epoch());
      --inside_;
      ends_.take();
    }
  }
  /// Integrates until `at`; time after the last second is not counted.
  void advance(Duration at) {
    if (at > counted_from_) busy_.max = std::max(busy_.max, inside_);
    while (second_ < busy_.mean.size() && at >= second_end()) {
      integrate(second_end());
      ++second_;
      if (second_ < busy_.mean.size()) busy_.max_at_once[second_] = inside_;
    }
    if (second_ < busy_.mean.size()) integrate(at);
    last_ = at;
  }
  Duration second_end() const { return static_cast<Duration::rep>(second_ + 1) * kOneSecond; }
  void integrate(Duration until) {
    busy_.mean[second_] += inside_ * to_seconds(until - last_);
    last_ = until;
  }

  Duration length_;
  Duration counted_from_;
  EventQueue<Empty> ends_;
  Busy busy_;
  std::size_t second_ = 0;
  std::int32_t inside_ = 0;
  Duration last_{};
};

}  // namespace

LoadProfile profile_load(const Workload& workload, const Progress& progress) {
  ArrivalStream arrivals = workload.arrivals();
  const AppModel& app = workload.app;
  LoadProfile result;
  result.length = arrivals.length();
  result.warm_up = std::min(workload.warm_up, result.length);
  const auto seconds =
      static_cast<std::size_t>((result.length + kOneSecond - Duration(1)) / kOneSecond);
  result.arrivals.resize(seconds);
  Stage in_service(seconds, result);
  Stage on_cpu(app.cpu > Duration::zero() ? seconds : 0, result);
  for (auto batch = arrivals.next(); !batch.empty(); batch = arrivals.next()) {
    for (const Arrival& arrival : batch) {
      ++result.arrivals[static_cast<std::size_t>(arrival.at / kOneSecond)];
      if (arrival.at >= result.warm_up) ++result.requests;
      in_service.enter(arrival.at, arrival.service);
      if (app.cpu > Duration::zero()) {
        on_cpu.enter(arrival.at, app.at_all_cores(std::min(app.cpu, arrival.service)));
      }
    }
    if (progress) progress(to_seconds(batch.back().at) / to_seconds(result.length));
  }
  result.in_service = in_service.finish();
  result.on_cpu = on_cpu.finish();
  return result;
}

double LoadProfile::mean_load() const {
  const double counted = to_seconds(length - warm_up);
  return counted > 0 ? in_service.seconds / counted : 0;
}

}  // namespace bellows::simulator
