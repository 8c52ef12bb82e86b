// Simulates a workload under a sizer: its demand, its size and the kills and throttling that
// result.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recommender/core/recommendation.hpp"
#include "recommender/score/workload.hpp"

namespace bellows::recommender::score {

/// Sizes the container. Events are in order of time; recommend() is called once a minute. Thread:
/// one.
class Sizer {
 public:
  virtual ~Sizer() = default;
  Sizer() = default;
  Sizer(const Sizer&) = delete;
  Sizer& operator=(const Sizer&) = delete;

  /// Called when a planned lifetime begins or ends: each is another replica.
  virtual void on_lifetime_begin(std::size_t life, WallTime at) = 0;
  virtual void on_lifetime_end(WallTime at) = 0;
  virtual void on_request(const Request& request, WallTime at) = 0;
  virtual void on_usage(const Usage& usage) = 0;
  virtual void on_event(const Event& event) = 0;
  /// Returns the size; nullopt keeps the current one.
  virtual std::optional<Sizes> recommend(WallTime now) = 0;
};

enum class LimitRule : std::uint8_t {
  kRatio,       ///< the request times a ratio
  kUpperBound,  ///< the upper bound, at least the request
};

enum class ApplyRule : std::uint8_t {
  kAtOnce,   ///< every new target, in place
  kUpdater,  ///< as VPA's updater: outside of the bounds, after a quick OOM kill, or after 12 h
};

struct SimulationSettings {
  LimitRule limit = LimitRule::kRatio;
  double cpu_limit_ratio = 2;
  double memory_limit_ratio = 1;
  ApplyRule apply = ApplyRule::kAtOnce;
};

// A killed container restarts as in Kubernetes: the back-off doubles with each death and is reset
// after some time of running. The start takes a moment.
inline constexpr Duration kStartDuration = std::chrono::seconds(10);
inline constexpr Duration kInitialBackOff = std::chrono::seconds(10);
inline constexpr Duration kMaxBackOff = std::chrono::minutes(5);
inline constexpr Duration kBackOffReset = std::chrono::minutes(10);
inline constexpr Duration kInterval = std::chrono::minutes(1);

/// Size of the node, which limits each request.
inline constexpr Request kNode{Millicores{16'000}, mebibytes(65'536)};

/// One step of the simulation. CPU in cores, memory in bytes.
struct Step {
  bool is_scheduled = false;  ///< within a planned lifetime
  double alive = 0;           ///< the fraction of the step in which it ran
  Demand demand;              ///< without queued work
  Demand used;                ///< 0 unless it ran at the end of the step
  Demand request;
  Demand limit;  ///< infinite where there is none
};

struct Death {
  Duration at{};    ///< since the workload began
  Duration back{};  ///< when it restarted (or would have)
  bool is_oom = false;
  std::size_t streak = 1;  ///< its position in a series without kBackOffReset between
};

struct Timeline {
  Duration step{};
  std::vector<Step> steps;  ///< one per step of the workload
  std::vector<Death> deaths;
  std::size_t changes = 0;  ///< of the request
};

Timeline simulate(const Workload& workload, Sizer& sizer, const SimulationSettings& settings);

}  // namespace bellows::recommender::score
