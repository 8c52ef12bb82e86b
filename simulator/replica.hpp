// One simulated replica: the limit and the meter of a queue-proxy, and an app.
#pragma once

#include <cstdint>
#include <vector>

#include "activator/core/held_request.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "metrics/meter.hpp"
#include "metrics/service_meter.hpp"
#include "metrics/stat.hpp"
#include "proxy/core/breaker.hpp"
#include "simulator/app_model.hpp"
#include "simulator/sharing.hpp"

namespace bellows::simulator {

class Replica;

/// One request from its arrival to its end. Pooled.
class Request final : public activator::HeldRequest {
 public:
  /// `settled` collects requests that the throttler grants or rejects during another call; the
  /// simulation empties it.
  explicit Request(std::vector<Request*>& settled) : settled_(settled) {}

  TimePoint arrived{};
  Duration service{};
  bool is_measured = true;
  bool is_at_work = false;     ///< its end is in the event queue
  bool was_cold = false;       ///< its replica became ready after its arrival
  bool is_aborted = false;     ///< its replica crashed or stopped draining
  bool is_late = false;        ///< a timeout ends it
  TimePoint deadline{};        ///< the earliest of its timeouts
  Replica* replica = nullptr;  ///< nullptr while it waits in the activator
  proxy::Slot slot;            ///< in the queue-proxy of the replica
  TimePoint forwarded{};       ///< to its replica
  double work_end = 0;         ///< of SharedWork
  std::uint64_t work_serial = 0;
  Request* next_in_app = nullptr;  ///< the next one in the queue of the app

 private:
  void on_settled() override { settled_.push_back(this); }

  std::vector<Request*>& settled_;
};

enum class ReplicaPhase : std::uint8_t {
  kStarting,  ///< ordered            -> kReady, kStarting (the start failed), kGone (removed)
  kReady,     ///< takes requests     -> kDraining, kStarting (crashed)
  kDraining,  ///< completes requests -> kGone
  kGone,
};

/// Owner: the fleet.
class Replica {
 public:
  Replica(std::uint16_t place, std::uint64_t number, std::int32_t slots, TimePoint now,
          std::uint64_t seed);

  std::uint16_t place() const {
    return place_;
  }  ///< index in the fleet, and its port for the throttler
  std::uint64_t number() const { return number_; }  ///< serial number, from 1
  const PodName& name() const { return stat_.pod; }
  bool is_idle() const { return meter_.level() == 0; }

  /// Admits a request through the limit. True if the app starts to work on it; otherwise it waits
  /// in the queue of the app.
  bool enter(Request& request, const AppModel& app, TimePoint now);
  /// The time at which a request that starts now is complete.
  TimePoint finish(const Request& request, const AppModel& app, TimePoint now);
  /// Completes a request. Returns the next one of the app's queue, which starts now, or nullptr.
  Request* leave(Request& request, TimePoint now);
  /// Ends a request without completing it.
  void abort(Request& request, TimePoint now);
  /// Resets the app, after abort() of all requests.
  void restart(TimePoint now);
  /// CPU time since the previous call.
  Duration take_busy(TimePoint now);

  /// The report on the second that ends now.
  const metrics::Stat& close_second(const AppModel& app, TimePoint now);
  std::int64_t in_flight() const { return meter_.level(); }
  bool is_beyond_memory(const AppModel& app) const {
    const Sharing& sharing = app.sharing;
    return sharing.memory_limit.value > 0 && sharing.memory_at(in_flight()) > sharing.memory_limit;
  }
  /// Requests in flight as of its last report.
  Concurrency reported_in_flight() const { return has_reported ? stat_.concurrency : 0; }

  ReplicaPhase phase = ReplicaPhase::kStarting;
  SharedWork work;               ///< if the app shares and nothing downstream is shared
  std::int32_t until_pause = 0;  ///< requests until the next garbage collection
  TimePoint ordered{};
  TimePoint ready_since{};
  bool has_reported = false;
  bool is_ahead = false;            ///< ordered before a request arrived
  bool has_served = false;          ///< a request was forwarded to it
  std::uint32_t restarts = 0;       ///< of the app, after a failed start or a crash
  std::uint32_t failed_starts = 0;  ///< consecutive
  SeededRandom chance;  ///< its own stream: the n-th replica of every policy starts equally fast

 private:
  std::uint16_t place_;
  std::uint64_t number_;
  proxy::Breaker breaker_;
  metrics::ConcurrencyMeter meter_;
  metrics::ServiceMeter service_;
  metrics::Stat stat_;
  std::int32_t working_ = 0;
  Request* first_in_app_ = nullptr;
  Request* last_in_app_ = nullptr;
  TimePoint core_free_{};
  Duration cpu_given_{};     // CPU work accepted, in time on all cores
  Duration cpu_reported_{};  // the part that take_busy() has returned
};

}  // namespace bellows::simulator
