// How requests slow each other down, in one replica or in a resource that all replicas share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::simulator {

class Request;

/// Part of an app model. The speed of each of n requests is the product of the factors that are
/// set; a request that is alone in a warm replica has speed 1.
struct Sharing {
  bool cores_are_shared = false;  ///< processor sharing: min(1, cores / n)
  double contention = 0;          ///< s of the universal scalability law
  double crosstalk = 0;           ///< k of it: 1 / (1 + s (n - 1) + k n (n - 1))
  /// Requests of all replicas together that a shared upstream serves at full speed; 0: nothing is
  /// shared. It excludes the other members.
  double downstream = 0;
  Duration warm_up{};         ///< of a replica that became ready: its speed rises linearly
  double cold_factor = 1;     ///< factor on the time of requests when the replica becomes ready
  Duration change_at{};       ///< from the begin of the simulation; zero: never
  double change_factor = 1;   ///< factor on the time of requests after change_at
  Duration noise_every{};     ///< interval between times in which other programs use the machine;
                              ///< zero: never
  Duration noise_for{};       ///< length of each of them
  double noise_factor = 1;    ///< factor on the time of all requests during them
  std::int32_t gc_every = 0;  ///< requests between two pauses of garbage collection; 0: none
  Duration gc_pause{};        ///< pause of all requests, for each one in flight
  double slow_share = 0;      ///< share of requests that take slow_factor times as long
  double slow_factor = 1;
  Bytes memory{};  ///< of an idle replica
  Bytes memory_per_request{};
  Bytes memory_limit{};  ///< an app that needs more is killed; zero: none

  bool is_active() const {
    return cores_are_shared || contention > 0 || crosstalk > 0 || downstream > 0 ||
           cold_factor > 1 || change_factor != 1 || gc_every > 0 || noise_factor > 1;
  }
  /// Returns the speed of one of `n` requests in a replica that has been ready for `ready`, at time
  /// `at` of the simulation.
  double speed(double n, double cores, Duration ready, Duration at) const;
  Bytes memory_at(std::int64_t requests) const {
    return {memory.value + requests * memory_per_request.value};
  }
  bool operator==(const Sharing&) const = default;
};

/// Requests that progress together at one speed, which depends on their number. Owner: a replica,
/// or the path of the requests for what all replicas share. Pure.
class SharedWork {
 public:
  /// Changes the speed of each request from `now` on.
  void set_speed(double speed, TimePoint now) {
    advance(now);
    speed_ = speed;
  }
  /// Pauses all requests until then.
  void pause_until(TimePoint until, TimePoint now) {
    advance(now);
    paused_until_ = std::max(paused_until_, until);
  }

  void add(Request& request, Duration work, TimePoint now);
  void remove(Request& request, TimePoint now);
  void clear(TimePoint now);
  std::size_t size() const { return requests_.size(); }

  /// Returns the request that ends next and the time of its end, unless the speed changes. nullopt:
  /// no request.
  std::optional<std::pair<Request*, TimePoint>> next(TimePoint now);
  /// True if all of its work is done.
  bool is_done(const Request& request, TimePoint now);

  /// Seconds of work done by all requests since the last call.
  double take_done(TimePoint now) {
    advance(now);
    return std::exchange(done_, 0);
  }

 private:
  using Place = std::pair<double, std::uint64_t>;  // progress at its end, and a serial number

  void advance(TimePoint now);

  std::map<Place, Request*> requests_;
  double progress_ = 0;  // of each request that was always there, in seconds of work
  double speed_ = 1;
  double done_ = 0;
  TimePoint last_{};
  TimePoint paused_until_{};
  std::uint64_t next_serial_ = 0;
};

}  // namespace bellows::simulator
