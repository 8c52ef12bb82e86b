#include "simulator/replica.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/check.hpp"

namespace bellows::simulator {
namespace {

/// An odd number, so that no two replicas share a stream.
constexpr std::uint64_t kPerReplica = 0x9e3779b97f4a7c15ULL;

/// Work that reaches beyond every simulation is cut there, so that a sum of it stays an instant.
constexpr TimePoint kBeyondAll(100 * kMaxDuration);

/// As many digits for all, so that the order of names is the order of starts.
PodName name_of(std::uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "r%010llu", static_cast<unsigned long long>(number));
  return PodName(text.data());
}

proxy::BreakerLimits limits(std::int32_t slots) {
  proxy::BreakerLimits made;
  if (slots > 0) made.slots = slots;
  made.line.count = std::max(1, 10 * slots);
  return made;
}

}  // namespace

Replica::Replica(std::uint16_t place, std::uint64_t number, std::int32_t slots, TimePoint now,
                 std::uint64_t seed)
    : ordered(now),
      chance(SeededRandom(seed ^ (number * kPerReplica)).next()),
      place_(place),
      number_(number),
      breaker_(limits(slots)),
      meter_(now) {
  stat_.pod = name_of(number);
  stat_.boot = number;
}

bool Replica::enter(Request& request, const AppModel& app, TimePoint now) {
  request.replica = this;
  request.slot = breaker_.try_enter(now);
  CHECK(request.slot, "the only activator there is never sends more than there are slots");
  meter_.enter(now);
  if (app.workers == 0 || working_ < app.workers) {
    ++working_;
    return true;
  }
  request.next_inside = nullptr;
  (last_inside_ != nullptr ? last_inside_->next_inside : first_inside_) = &request;
  last_inside_ = &request;
  return false;
}

/// The cores are one server that works on CPU time in the order of arrival, as fast as all of them
/// together; what is not CPU time passes beside it.
TimePoint Replica::finish(const Request& request, const AppModel& app, TimePoint now) {
  if (app.cpu == Duration::zero()) return now + request.service;
  const Duration cpu = std::min(app.cpu, request.service);
  const TimePoint begin = std::max(core_free_, now);
  core_free_ = std::min(begin + app.at_all_cores(cpu), kBeyondAll);
  cpu_given_ += core_free_ - begin;
  return std::max(now + request.service, core_free_ + (request.service - cpu));
}

Request* Replica::leave(Request& request, TimePoint now) {
  request.slot.release();
  meter_.leave(now);
  request.replica = nullptr;
  Request* const next = first_inside_;
  if (next == nullptr) {
    --working_;
    return nullptr;
  }
  first_inside_ = next->next_inside;
  if (first_inside_ == nullptr) last_inside_ = nullptr;
  return next;
}

void Replica::break_off(Request& request, TimePoint now) {
  request.slot.release();
  meter_.leave(now);
  request.replica = nullptr;
}

void Replica::restart(TimePoint now) {
  working_ = 0;
  first_inside_ = last_inside_ = nullptr;
  cpu_given_ -= std::max(core_free_ - now, Duration::zero());
  core_free_ = {};
}

Duration Replica::take_busy(TimePoint now) {
  const Duration done = cpu_given_ - std::max(core_free_ - now, Duration::zero());
  return done - std::exchange(cpu_told_, done);
}

const metrics::Stat& Replica::close_second(TimePoint now) {
  const metrics::MeterReading reading = meter_.close_second(now);
  stat_.concurrency = reading.mean;
  stat_.peak = reading.peak;
  stat_.requests = reading.requests;
  ++stat_.sequence;
  has_reported = true;
  return stat_;
}

}  // namespace bellows::simulator
