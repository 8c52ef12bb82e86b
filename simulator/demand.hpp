// The load in replicas: what one replica has room for, and how many of them the load fills.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "config/revision_settings.hpp"
#include "simulator/survey.hpp"

namespace bellows::simulator {

/// What a replica is counted full by.
enum class FullBy : std::uint8_t {
  kLimit,   ///< requests at once: no more fit, whoever scales
  kTarget,  ///< without a limit: the requests at once that it is sized for
  kRate,    ///< without a limit, where requests a second are scaled by: as many of them
};

/// "10 slots a replica": `size` requests, or so many a second.
std::string room_text(FullBy full_by, double size);
/// "limit", "target" or "rate".
std::string_view to_string(FullBy full_by);

/// The limit is container-concurrency or the app's workers, whichever is less. It is the same for
/// every policy: target and utilisation are the policy's own matter, as long as there is a limit.
/// Where the app needs CPU, its load is that of the cores if they are what is full first. Pure.
/// `limits` outlives it.
class Demand {
 public:
  Demand(const Survey& limits, const AppModel& app, const config::RevisionSettings& settings);

  FullBy full_by() const { return full_by_; }
  /// Requests that fill one replica, at once or a second (kRate).
  double size() const { return size_; }

  std::size_t seconds() const { return limits_->arrivals.size(); }
  /// Replicas that the load of a second fills if nobody waits, on average; zero beyond the end.
  double mean(std::size_t second) const;
  /// At its fullest instant, in whole replicas.
  PodCount max(std::size_t second) const;
  /// By so many requests that wait or run as a second begins.
  double filled_by(std::int64_t in_system, std::size_t second) const;
  /// Of all that counts.
  double replica_seconds() const;

 private:
  const Survey* limits_;
  FullBy full_by_;
  double size_;
};

}  // namespace bellows::simulator
