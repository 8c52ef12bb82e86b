// What a policy says about one container, and why, as data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// What made the target what it is.
enum class Rule : std::uint8_t {
  kNoSamples,   ///< nothing is known yet, so there is nothing to say
  kPercentile,  ///< history: percentile, margin
  kScaleUp,     ///< usage above the upper threshold of the request
  kScaleDown,   ///< usage and local maximum below the lower threshold
  kHold,        ///< within both thresholds: what was said last stands
  kObserving,   ///< low, but not yet watched for a whole window
  kCrash,       ///< crash loop, or too many crashes: doubled whatever the usage
  kOom,         ///< killed for memory
  kFloor,       ///< the percentile of history holds it up
  kMaximum,     ///< sized by the sliding maximum
  kHysteresis,  ///< a change this small is not worth one
  kBudget,      ///< no change left today
  kTakenBack,   ///< doubling did not end the crashes: what it had before them stands
  kStartup,     ///< a replica is starting: what starts are known to need holds it up
};

/// What one step of the chain did.
enum class Stage : std::uint8_t {
  kUsage,        ///< the highest usage of the replicas, now
  kRequest,      ///< what the container has
  kMaximum,      ///< the local maximum over the window
  kPercentile,   ///< input: the percentile; result: the end of its bucket
  kMargin,       ///< input: the fraction added
  kConfidence,   ///< input: the factor
  kFactor,       ///< input: the factor
  kMinimum,      ///< input: the least that is recommended
  kRounded,      ///< input: the multiple that it was rounded up to
  kWholeCores,   ///< rounded up to whole cores
  kMinAllowed,   ///< input: the container policy's least
  kMaxAllowed,   ///< input: the container policy's most
  kThreshold,    ///< input: the fraction of the request; result: the limit it gives
  kKept,         ///< result: what was said before and stands
  kOom,          ///< input: memory at the kill; result: what it is taken to need
  kCrashes,      ///< input: crashes since the last change; result: the limit
  kChangesLeft,  ///< input: changes done in the last 24 h; result: the most
  kStartupPeak,  ///< the highest usage seen while starting
  kWhole,        ///< in whole millicores or bytes
  kBoost,        ///< input: the factor while a replica starts
  kTarget,       ///< of a bound: the target before it was rounded and capped
};

/// CPU numbers in millicores, memory in bytes.
struct Step {
  Stage stage = Stage::kUsage;
  double input = 0;
  double result = 0;
};

/// The chain of one number, in the order in which it was computed. Holds its steps in place, so
/// that a loop over 100,000 containers allocates nothing for it.
class Chain {
 public:
  /// Steps beyond kMax are a broken promise of ours (CHECK).
  void add(Stage stage, double input, double result);
  const Step* begin() const { return steps_.data(); }
  const Step* end() const { return steps_.data() + size_; }
  bool empty() const { return size_ == 0; }

  static constexpr std::size_t kMax = 18;

 private:
  std::array<Step, kMax> steps_;
  std::uint8_t size_ = 0;
};

/// Why a resource's target is what it is.
struct Reason {
  Rule rule = Rule::kNoSamples;
  Chain chain;
};

/// "percentile 0.9 of history 110m, margin 0.15 -> 126m". Thread: any.
std::string to_string(const Reason& reason, Resource resource);
/// "times 0.5 -> 450m, max-allowed 300m -> 300m": the steps alone.
std::string to_string(const Chain& chain, Resource resource);
/// "450m", "262144000 bytes".
std::string amount_text(double amount, Resource resource);
/// "scale-up": the name of the rule alone, a label in metrics.
std::string_view to_string(Rule rule);

/// A size; a resource that is not controlled, or of which nothing is known, is left out.
struct Amounts {
  std::optional<Millicores> cpu;
  std::optional<Bytes> memory;
  bool operator==(const Amounts&) const = default;
};

struct Sizes {
  Amounts target;           ///< what to request
  Amounts lower_bound;      ///< a request below this is too small to be left alone
  Amounts upper_bound;      ///< a request above this is too large to be left alone
  Amounts uncapped_target;  ///< the target before minAllowed and maxAllowed
  bool operator==(const Sizes&) const = default;
};

/// What is said about one container.
struct Recommendation {
  ContainerName container;
  std::optional<Sizes> sizes;  ///< nothing: the policy has nothing to say; the reasons say why
  Reason cpu;
  Reason memory;
  WallTime since;  ///< when `sizes` became what they are
};

}  // namespace bellows::recommender
