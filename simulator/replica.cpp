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

/// Work beyond the end of every simulation is truncated, so that sums do not overflow.
constexpr TimePoint kBeyondAll(100 * kMaxDuration);

/// Writes a fixed number of digits, so that names sort by the order of starts.
PodName name_of(std::uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "r%010llu", static_cast<unsigned long long>(number));
  return PodName(text.data());
}

proxy::BreakerLimits limits(std::int32_t slots) {
  proxy::BreakerLimits made;
  if (slots > 0) made.slots = slots;
  made.queue.count = std::max(1, 10 * slots);
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
  request.forwarded = now;
  request.slot = breaker_.try_acquire(now);
  CHECK(request.slot, "the only activator never forwards more requests than there are slots");
  meter_.enter(now);
  if (app.workers == 0 || working_ < app.workers) {
    ++working_;
    return true;
  }
  request.next_in_app = nullptr;
  (last_in_app_ != nullptr ? last_in_app_->next_in_app : first_in_app_) = &request;
  last_in_app_ = &request;
  return false;
}

/// The cores are modelled as one FIFO server with their total speed. The rest of the service time
/// passes concurrently.
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
  service_.ended(now - request.forwarded, request.is_late);
  request.replica = nullptr;
  Request* const next = first_in_app_;
  if (next == nullptr) {
    --working_;
    return nullptr;
  }
  first_in_app_ = next->next_in_app;
  if (first_in_app_ == nullptr) last_in_app_ = nullptr;
  return next;
}

void Replica::abort(Request& request, TimePoint now) {
  request.slot.release();
  meter_.leave(now);
  service_.ended_untimed(true);
  request.replica = nullptr;
}

void Replica::restart(TimePoint now) {
  working_ = 0;
  first_in_app_ = last_in_app_ = nullptr;
  cpu_given_ -= std::max(core_free_ - now, Duration::zero());
  core_free_ = {};
  work.clear(now);
}

Duration Replica::take_busy(TimePoint now) {
  const Duration done = cpu_given_ - std::max(core_free_ - now, Duration::zero());
  return done - std::exchange(cpu_reported_, done);
}

const metrics::Stat& Replica::close_second(const AppModel& app, TimePoint now) {
  const metrics::MeterReading reading = meter_.close_second(now);
  stat_.concurrency = reading.mean;
  stat_.peak = reading.peak;
  stat_.requests = reading.requests;
  metrics::ReplicaReading measured = service_.close_second();
  const Sharing& sharing = app.sharing;
  if (sharing.cores_are_shared) {
    measured.cpu = from_seconds(work.take_done(now));
    measured.cpu_limit = Millicores{static_cast<std::int64_t>(1000 * app.cores)};
  }
  if (sharing.memory_limit.value > 0) {
    measured.memory = sharing.memory_at(in_flight());
    measured.memory_limit = sharing.memory_limit;
  }
  stat_.reading = metrics::ReadingPtr(measured);
  ++stat_.sequence;
  has_reported = true;
  return stat_;
}

}  // namespace bellows::simulator
