// The load in replicas: the capacity of one replica, and how many replicas the load fills.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "config/revision_settings.hpp"
#include "simulator/load_profile.hpp"

namespace bellows::simulator {

/// The limit or target that defines the capacity of a replica.
enum class FullBy : std::uint8_t {
  kLimit,   ///< a limit of concurrent requests, the same under every policy
  kTarget,  ///< no limit: the target of concurrent requests
  kRate,    ///< no limit and metric rps: the target of requests per second
};

/// "10 slots per replica".
std::string capacity_text(FullBy full_by, double size);
/// "limit", "target" or "rate".
std::string_view to_string(FullBy full_by);

/// The limit is the minimum of the hard limit and the workers of the app. It is the same for
/// every policy; target and utilization matter only without a limit. If the app needs CPU and the
/// cores are full first, the load is the load of the cores. Pure. `profile` outlives it.
class Demand {
 public:
  Demand(const LoadProfile& profile, const AppModel& app, const config::RevisionSettings& settings);

  FullBy full_by() const { return full_by_; }
  /// Concurrent requests, or requests per second (kRate), that fill one replica.
  double size() const { return size_; }

  std::size_t seconds() const { return profile_->arrivals.size(); }
  /// Mean number of replicas that the load of a second fills if no request waits; zero after the
  /// end of the trace.
  double mean(std::size_t second) const;
  /// The maximum within the second, in whole replicas.
  PodCount max(std::size_t second) const;
  /// Replicas filled by `in_system` requests that wait or run at the start of a second.
  double filled_by(std::int64_t in_system, std::size_t second) const;
  /// Total of the counted part.
  double replica_seconds() const;

 private:
  const LoadProfile* profile_;
  FullBy full_by_;
  double size_;
};

}  // namespace bellows::simulator
