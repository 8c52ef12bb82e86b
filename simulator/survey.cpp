#include "simulator/survey.hpp"

#include <algorithm>

#include "simulator/agenda.hpp"

namespace bellows::simulator {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
struct Nothing {};

/// The number of requests in service, and its integral over each second.
class Room {
 public:
  Room(std::size_t seconds, Duration counted_from)
      : mean_(seconds), most_(seconds), counted_from_(counted_from) {}

  void enter(Duration at) {
    advance(at);
    ++inside_;
    if (at >= counted_from_) most_counted_ = std::max(most_counted_, inside_);
    if (second_ < most_.size()) most_[second_] = std::max(most_[second_], inside_);
  }
  void leave(Duration at) {
    advance(at);
    --inside_;
  }
  /// Up to `at`; what lies beyond the last second is not booked.
  void advance(Duration at) {
    if (at > counted_from_) most_counted_ = std::max(most_counted_, inside_);
    while (second_ < mean_.size() && at >= second_end()) {
      book(second_end());
      ++second_;
      if (second_ < most_.size()) most_[second_] = inside_;
    }
    if (second_ < mean_.size()) book(at);
    last_ = at;
  }

  const std::vector<double>& mean() const { return mean_; }
  const std::vector<std::int32_t>& most() const { return most_; }
  /// At one instant of what counts.
  std::int32_t most_counted() const { return most_counted_; }

 private:
  Duration second_end() const { return static_cast<Duration::rep>(second_ + 1) * kSecond; }
  void book(Duration until) {
    mean_[second_] += inside_ * to_seconds(until - last_);
    last_ = until;
  }

  std::vector<double> mean_;
  std::vector<std::int32_t> most_;
  std::size_t second_ = 0;
  std::int32_t inside_ = 0;
  Duration counted_from_;
  std::int32_t most_counted_ = 0;
  Duration last_{};
};

}  // namespace

Survey survey(const Workload& workload, const Progress& progress) {
  ArrivalStream arrivals = workload.arrivals();
  Survey result;
  result.length = arrivals.length();
  result.warm_up = std::min(workload.warm_up, result.length);
  const auto seconds = static_cast<std::size_t>((result.length + kSecond - Duration(1)) / kSecond);
  result.arrivals.resize(seconds);
  Room room(seconds, result.warm_up);
  Agenda<Nothing> ends;
  const auto finish_until = [&](TimePoint until) {
    while (ends.next() <= until) {
      room.leave(ends.next().time_since_epoch());
      ends.take();
    }
  };
  for (auto batch = arrivals.next(); !batch.empty(); batch = arrivals.next()) {
    for (const Arrival& arrival : batch) {
      finish_until(TimePoint(arrival.at));
      room.enter(arrival.at);
      ++result.arrivals[static_cast<std::size_t>(arrival.at / kSecond)];
      ends.add(TimePoint(arrival.at + arrival.service), {});
      if (arrival.at < result.warm_up) continue;
      ++result.requests;
      const Duration end = std::min(arrival.at + arrival.service, result.length);
      result.service_seconds += to_seconds(end - arrival.at);
    }
    if (progress) progress(to_seconds(batch.back().at) / to_seconds(result.length));
  }
  finish_until(TimePoint(result.length));
  room.advance(result.length);
  result.mean_in_service = room.mean();
  result.most_in_service = room.most();
  result.most = room.most_counted();
  return result;
}

double Survey::mean_load() const {
  const double counted = to_seconds(length - warm_up);
  return counted > 0 ? service_seconds / counted : 0;
}

}  // namespace bellows::simulator
