// A trace as data, and the arrivals generated from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/time.hpp"
#include "simulator/distribution.hpp"

namespace bellows::simulator {

/// One request: its arrival time since the begin of the simulation, and its service time.
struct Arrival {
  Duration at{};
  Duration service{};
  bool operator==(const Arrival&) const = default;
};

/// A trace: counts per minute, counts per second, or single requests. Exactly one is used.
struct Traffic {
  struct Event {
    Duration at{};                      ///< since the begin of the trace
    std::optional<Duration> service{};  ///< unset: from the app model
    bool operator==(const Event&) const = default;
  };
  std::vector<std::uint32_t> per_minute;
  std::vector<std::uint32_t> per_second;
  std::vector<Event> events;              ///< by time
  std::optional<Distribution> service{};  ///< of all requests, if the trace has a distribution
  Duration length{};                      ///< whole minutes
};

/// The requests of a trace that have service times of their own.
enum class OwnTimes : std::uint8_t { kNone, kSome, kAll };
OwnTimes own_times(const Traffic& traffic);

/// Options of the arrivals that are generated from a trace.
struct TrafficOptions {
  double scale =
      1;  ///< load factor; 0.25: each request with probability 1/4; 2.5: two or three copies
  /// Variance-to-mean ratio of the requests per second, given the count of the minute; 1: Poisson.
  /// Only for counts per minute.
  double dispersion = 1;
  Duration from{};  ///< offset into the trace
  Duration to = Duration::max();

  bool operator==(const TrafficOptions&) const = default;
};

/// Arrivals in time order, generated in batches of a minute or a second. Equal seeds give equal
/// arrivals for every policy.
///
/// Counts: the requests of a minute (or second) are a Poisson process given its count. With a
/// dispersion the shares of the seconds are gamma distributed (the counts per second are then
/// Dirichlet-multinomial), and the process is Poisson within each second.
/// Events arrive at their time; further copies (scale > 1) up to one second later.
/// Owner: one simulation. Pure. `traffic` outlives it.
class ArrivalStream {
 public:
  ArrivalStream(const Traffic& traffic, const TrafficOptions& options, const Distribution& service,
                std::uint64_t seed);

  /// Returns the next batch; empty at the end. Valid until the next call.
  std::span<const Arrival> next();

  /// Length of the simulated part of the trace; arrivals lie within [0, length).
  Duration length() const { return end_ - begin_; }

 private:
  void spread(std::uint64_t count, Duration begin);
  void draw_shares(std::uint64_t count);
  double warped(double share) const;
  void take_events();
  void add(Duration at, const std::optional<Duration>& service);
  std::uint64_t scaled(std::uint64_t count);

  const Traffic& traffic_;
  TrafficOptions options_;
  Distribution service_;
  SeededRandom when_;
  SeededRandom how_long_;
  Duration begin_;
  Duration end_;
  const std::vector<std::uint32_t>& counts_;  // of the trace
  Duration each_;                             // the time of one of them: a minute or a second
  std::size_t next_count_ = 0;
  bool events_taken_ = false;
  std::vector<Arrival> arrivals_;
  std::vector<double> positions_;
  std::vector<double> share_before_;  // cumulative share of the minute's requests, per second
};

}  // namespace bellows::simulator
