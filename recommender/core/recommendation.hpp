// A recommendation for one container with its reason, as data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// The rule that set the target.
enum class Rule : std::uint8_t {
  kNoSamples,   ///< no data yet, so no recommendation
  kPercentile,  ///< history: percentile, margin
  kScaleUp,     ///< usage exceeds the upper threshold of the request
  kScaleDown,   ///< usage and local maximum are less than the lower threshold
  kHold,        ///< within both thresholds: the last recommendation stays
  kObserving,   ///< low, but not yet observed for a whole window
  kCrash,       ///< crash loop, or too many crashes: doubled whatever the usage
  kOom,         ///< killed for memory
  kFloor,       ///< the percentile of history is the highest
  kMaximum,     ///< sized by the sliding maximum
  kHysteresis,  ///< the change is too small
  kBudget,      ///< no scale-down left in these 24 h
  kStartup,     ///< a replica is starting: the peak of earlier starts is the highest
};

/// Kind of a step of the chain.
enum class Stage : std::uint8_t {
  kUsage,        ///< current maximum usage of the replicas
  kRequest,      ///< current size of the container
  kMaximum,      ///< the local maximum over the window
  kPercentile,   ///< input: the percentile; result: the end of its bucket
  kMargin,       ///< input: the fraction added
  kConfidence,   ///< input: the factor
  kFactor,       ///< input: the factor
  kMinimum,      ///< input: the minimum
  kMinAllowed,   ///< input: minAllowed
  kMaxAllowed,   ///< input: maxAllowed
  kThreshold,    ///< input: the fraction of the request; result: the limit
  kKept,         ///< result: the last recommendation
  kOom,          ///< input: memory at the kill; result: the estimated need
  kCrashes,      ///< input: crashes since the last change; result: the limit
  kChangesLeft,  ///< input: changes in the last 24 h; result: the maximum
  kStartupPeak,  ///< highest usage of starting replicas
  kWhole,        ///< in whole millicores or bytes
  kReleased,     ///< input: the usage that has returned; result: the size before a scale-down
  kTarget,       ///< of a bound: the target before rounding and capping
};

/// CPU numbers in millicores, memory in bytes.
struct ChainStep {
  Stage stage = Stage::kUsage;
  double input = 0;
  double result = 0;
};

/// The chain of one number, in the order of its computation. It stores its steps in place, so that
/// a loop over 100,000 containers allocates nothing for it.
class Chain {
 public:
  /// Adds a step. More than kMaxSteps steps are a bug (CHECK).
  void add(Stage stage, double input, double result);
  const ChainStep* begin() const { return steps_.data(); }
  const ChainStep* end() const { return steps_.data() + size_; }
  bool empty() const { return size_ == 0; }

  static constexpr std::size_t kMaxSteps = 18;

 private:
  std::array<ChainStep, kMaxSteps> steps_;
  std::uint8_t size_ = 0;
};

/// The reason of a target.
struct Reason {
  Rule rule = Rule::kNoSamples;
  Chain chain;
};

/// Returns "percentile 0.9 of history 110m, margin 0.15 -> 126m". Thread: any.
std::string to_string(const Reason& reason, Resource resource);
/// Returns only the steps: "times 0.5 -> 450m, max-allowed 300m -> 300m".
std::string to_string(const Chain& chain, Resource resource);
/// Returns "450m" or "262144000 bytes".
std::string amount_text(double amount, Resource resource);
/// Returns the name of the rule, a label in metrics: "scale-up".
std::string_view to_string(Rule rule);

/// A size; a resource that is not controlled, or without samples, is unset.
struct Amounts {
  std::optional<Millicores> cpu;
  std::optional<Bytes> memory;
  bool operator==(const Amounts&) const = default;
};

struct Sizes {
  Amounts target;           ///< size to request
  Amounts lower_bound;      ///< a request below this should be raised
  Amounts upper_bound;      ///< a request above this should be lowered
  Amounts uncapped_target;  ///< the target before minAllowed and maxAllowed
  bool operator==(const Sizes&) const = default;
};

/// The recommendation for one container.
struct Recommendation {
  ContainerName container;
  std::optional<Sizes> sizes;  ///< nullopt: none; the reasons explain it
  Reason cpu;
  Reason memory;
  WallTime since;  ///< last change of `sizes`
};

}  // namespace bellows::recommender
