// A workload lived through under one way of sizing it: what it wanted, got and suffered.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recommender/core/recommendation.hpp"
#include "recommender/score/workload.hpp"

namespace bellows::recommender::score {

/// Whoever sizes the container. Told what happens in the order in which it happens; asked once a
/// minute. Thread: one.
class Sizer {
 public:
  virtual ~Sizer() = default;
  Sizer() = default;
  Sizer(const Sizer&) = delete;
  Sizer& operator=(const Sizer&) = delete;

  /// Another planned life begins or ends: another replica, told apart by `life`.
  virtual void life_begins(std::size_t life, WallTime at) = 0;
  virtual void life_ends(WallTime at) = 0;
  virtual void given(const Request& request, WallTime at) = 0;
  virtual void measured(const Usage& usage) = 0;
  virtual void happened(const Event& event) = 0;
  /// Nothing: leave it as it is.
  virtual std::optional<Sizes> ask(WallTime now) = 0;
};

enum class LimitRule : std::uint8_t {
  kRatio,       ///< the request times a ratio
  kUpperBound,  ///< the upper bound, at least the request
};

enum class ApplyRule : std::uint8_t {
  kAtOnce,   ///< every new target, in place
  kUpdater,  ///< as VPA's updater: outside of the bounds, after a quick OOM kill, or after 12 h
};

struct WorldSettings {
  LimitRule limit = LimitRule::kRatio;
  double cpu_limit_ratio = 2;
  double memory_limit_ratio = 1;
  ApplyRule apply = ApplyRule::kAtOnce;
};

// A killed container starts again as with Kubernetes: a back-off that doubles with each death, and
// begins anew once it ran for a while. Its start takes a moment.
inline constexpr Duration kStartTakes = std::chrono::seconds(10);
inline constexpr Duration kFirstBackOff = std::chrono::seconds(10);
inline constexpr Duration kMaxBackOff = std::chrono::minutes(5);
inline constexpr Duration kForgiven = std::chrono::minutes(10);
inline constexpr Duration kInterval = std::chrono::minutes(1);

/// The node that it runs on: no request can be greater.
inline constexpr Request kNode{Millicores{16'000}, mebibytes(65'536)};

/// One step as it was. CPU in cores, memory in bytes.
struct Moment {
  bool is_wanted = false;  ///< within a planned life
  double alive = 0;        ///< the part of the step in which it ran
  Demand wanted;           ///< without what waited from before
  Demand used;             ///< 0 unless it ran at the end of the step
  Demand request;
  Demand limit;  ///< infinite where there is none
};

struct Death {
  Duration at{};    ///< since the workload began
  Duration back{};  ///< when it was up again (or would have been)
  bool is_oom = false;
  std::size_t row = 1;  ///< which one of a row without kForgiven between
};

struct Track {
  Duration step{};
  std::vector<Moment> moments;  ///< one per step of the workload
  std::vector<Death> deaths;
  std::size_t changes = 0;  ///< of the request
};

Track live_through(const Workload& workload, Sizer& sizer, const WorldSettings& settings);

}  // namespace bellows::recommender::score
