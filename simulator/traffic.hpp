// What comes in: a trace as data, and the arrivals it becomes.
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

/// One request: when, from the beginning of the simulation, and how long a worker needs for it.
struct Arrival {
  Duration at{};
  Duration service{};
  bool operator==(const Arrival&) const = default;
};

/// A trace as read: counts per minute, or single requests (exactly one of the two is used).
struct Traffic {
  struct Event {
    Duration at{};                      ///< from the beginning of the trace
    std::optional<Duration> service{};  ///< nothing: the app model says
    bool operator==(const Event&) const = default;
  };
  std::vector<std::uint32_t> per_minute;
  std::vector<Event> events;              ///< by time
  std::optional<Distribution> service{};  ///< of all requests, where the trace knows it
  Duration length{};                      ///< whole minutes
};

/// Which of a trace's requests bring their service times with them.
enum class OwnTimes : std::uint8_t { kNone, kSome, kAll };
OwnTimes own_times(const Traffic& traffic);

/// What to make of a trace.
struct TrafficOptions {
  double scale = 1;  ///< of the load: each request is kept with this chance; 2.5: twice or thrice
  /// Variance-to-mean ratio of the requests per second, within a minute of the same count; 1:
  /// Poisson. Counts per minute only.
  double dispersion = 1;
  Duration from{};  ///< into the trace
  Duration to = Duration::max();

  bool operator==(const TrafficOptions&) const = default;
};

/// Arrivals in order of time, a handful (a minute's) at once. The same seed gives the same ones
/// again, for each policy anew, whatever it does with them.
///
/// Counts: the requests of a minute are a Poisson process given its count. With a dispersion the
/// seconds of the minute get shares that follow a gamma distribution (counts per second are then
/// Dirichlet-multinomial), and the process is Poisson within each second.
/// Events come when they came; further copies (scale > 1) up to a second later.
/// Owner: one simulation. Pure. `traffic` outlives it.
class ArrivalStream {
 public:
  ArrivalStream(const Traffic& traffic, const TrafficOptions& options, const Distribution& service,
                std::uint64_t seed);

  /// The next ones; empty at the end. Valid until the next call.
  std::span<const Arrival> next();

  /// Of the part of the trace that is simulated; arrivals lie within [0, length).
  Duration length() const { return end_ - begin_; }

 private:
  void spread_minute(std::uint64_t count, Duration minute_begin);
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
  std::size_t minute_ = 0;
  bool events_taken_ = false;
  std::vector<Arrival> arrivals_;
  std::vector<double> gaps_;
  std::vector<double> share_before_;  // of each second: of the minute's requests, cumulated
};

}  // namespace bellows::simulator
