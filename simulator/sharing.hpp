// How requests in one replica, or in what all replicas share, slow each other down.
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

/// Part of an app model. The speed of each of n requests is the product of what is set; 1 is that
/// of a request that is alone in a warm replica.
struct Sharing {
  bool cores_are_shared = false;  ///< processor sharing: min(1, cores / n)
  double contention = 0;          ///< s of the universal scalability law
  double crosstalk = 0;           ///< k of it: 1 / (1 + s (n - 1) + k n (n - 1))
  /// Requests of all replicas together that something behind them serves at full speed; 0: nothing
  /// is shared. Not together with the others.
  double downstream = 0;
  Duration warm_up{};         ///< of a replica that became ready: its speed rises linearly
  double cold_factor = 1;     ///< at its begin requests take so many times as long
  Duration change_at{};       ///< since the begin of the simulation; zero: never
  double change_factor = 1;   ///< from then on requests take so many times as long
  Duration noise_every{};     ///< between two times in which others need the machine; zero: never
  Duration noise_for{};       ///< how long each of them takes
  double noise_factor = 1;    ///< requests of all replicas take so many times as long then
  std::int32_t gc_every = 0;  ///< requests between two pauses of garbage collection; 0: none
  Duration gc_pause{};        ///< for each request in flight, of all of them
  double slow_share = 0;      ///< of requests that take slow_factor times as long
  double slow_factor = 1;
  Bytes memory{};  ///< of an idle replica
  Bytes memory_per_request{};
  Bytes memory_limit{};  ///< beyond it the app is killed; zero: none

  bool is_active() const {
    return cores_are_shared || contention > 0 || crosstalk > 0 || downstream > 0 ||
           cold_factor > 1 || change_factor != 1 || gc_every > 0 || noise_factor > 1;
  }
  /// Of one of `n` requests in a replica that has been ready for `ready`, `at` from the begin.
  double speed(double n, double cores, Duration ready, Duration at) const;
  Bytes memory_at(std::int64_t requests) const {
    return {memory.value + requests * memory_per_request.value};
  }
  bool operator==(const Sharing&) const = default;
};

/// Requests that progress together: each with the same speed, which depends on how many they are.
/// Owner: a replica, or the path of the requests for what all replicas share. Pure.
class SharedWork {
 public:
  /// Changes the speed of each request from `now` on.
  void set_speed(double speed, TimePoint now) {
    advance(now);
    speed_ = speed;
  }
  /// Nothing progresses until then.
  void pause_until(TimePoint until, TimePoint now) {
    advance(now);
    paused_until_ = std::max(paused_until_, until);
  }

  void add(Request& request, Duration work, TimePoint now);
  void remove(Request& request, TimePoint now);
  void clear(TimePoint now);
  std::size_t size() const { return requests_.size(); }

  /// The request that ends next, and when if nothing changes. nullopt: there is none.
  std::optional<std::pair<Request*, TimePoint>> next(TimePoint now);
  /// All of its work is done.
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
