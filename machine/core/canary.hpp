// A deploy by steps: a revision gets a growing share of the requests while its errors and latency
// stay within limits. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// "p99=300ms": at most 1 % of the requests take longer than 300 ms.
struct LatencyLimit {
  std::int32_t percentile = 99;
  Duration at_most{};

  /// Returns the part of the requests that may take longer.
  double may_be_slower() const { return 1 - percentile / 100.0; }
  bool operator==(const LatencyLimit&) const = default;
};
/// Parses pPERCENTILE=DURATION with a percentile from 1 to 99; nullopt for other texts.
std::optional<LatencyLimit> read_latency_limit(std::string_view text);

struct CanaryPlan {
  std::vector<std::int32_t> shares = {5, 25, 100};  ///< percent, growing; the last one is 100
  Duration step = std::chrono::minutes(2);          ///< the time of each share but the last one
  double max_errors = 0.01;                         ///< part of the requests
  std::optional<LatencyLimit> max_latency = {};
  std::int64_t min_requests = 100;  ///< in a step, for a verdict
};
/// kInvalidSetting with the value and what is valid.
Result<void> check(const CanaryPlan& plan);

/// The results of a revision until now, as callers saw them.
struct Served {
  std::int64_t requests = 0;  ///< that ended with a response, or because of the revision
  std::int64_t errors = 0;    ///< of these: a status from 500 on, or an incomplete response
  std::int64_t slow = 0;      ///< of these: longer than CanaryPlan::max_latency

  Served since(const Served& before) const {
    return {requests - before.requests, errors - before.errors, slow - before.slow};
  }
};

/// A step lasts until its time is over and it has seen min_requests. A canary rolls back at once
/// when no later request can change the verdict: more errors than max_errors allows of the requests
/// seen, or of min_requests if these are more. It rolls back after kPatience steps without enough
/// requests, because the revision is still unknown then. Owner: the caller that changes the shares.
class Canary {
 public:
  static constexpr int kPatience = 10;

  /// The stages of a canary. Each lists what may follow.
  enum class Stage : std::uint8_t {
    kShifting,  ///< share() is not in force yet  -> kWatching, kDone, kBack
    kWatching,  ///< share() is in force -> kShifting (the next share), kBack
    kDone,      ///< the last share is in force  (end)
    kBack,      ///< the previous revisions get all requests, reason() says why  (end)
  };

  /// `revision`: its name, for messages. The plan is valid.
  Canary(CanaryPlan plan, std::string revision);

  /// Returns the share for the revision, percent.
  std::int32_t share() const { return plan_.shares[step_]; }
  Stage stage() const { return stage_; }
  bool is_over() const { return stage_ == Stage::kDone || stage_ == Stage::kBack; }
  const CanaryPlan& plan() const { return plan_; }

  /// Starts kWatching, from kShifting: share() is in force since `now`. `so_far`: its results
  /// before.
  void in_force(const Served& so_far, TimePoint now);
  /// Judges its results since then. The caller calls it often in stage kWatching.
  Stage look(const Served& so_far, TimePoint now);
  /// Ends it without a verdict: the shares could not be changed.
  void end(std::string why);

  /// Returns "web-00002 gets 25 % (step 2 of 3): 120 requests, 0 errors, 1 slow; 1m20s left", or
  /// its end; one line.
  std::string message(TimePoint now) const;

  /// Returns its limits: "more than 1 % of the requests fail, or more than 1 % take longer than
  /// 300ms".
  std::string watches() const;

 private:
  /// Returns the limit that the requests of this step exceed; empty: none.
  std::string complaint(const Served& seen) const;

  CanaryPlan plan_;
  std::string revision_;
  std::size_t step_ = 0;
  Stage stage_ = Stage::kShifting;
  TimePoint since_{};
  Served before_;
  Served seen_;  // in this step
  std::string reason_;
};

/// Returns `before` with `number` at `share` percent. The others keep their proportions; the sum is
/// 100.
Shares with_share(const Shares& before, Number number, std::int32_t share);

}  // namespace bellows::machine
