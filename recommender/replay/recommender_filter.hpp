// `recommender replay`: takes usage, requests and events, and returns recommendations, in virtual
// time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recommender/core/policy.hpp"
#include "recommender/replay/config_line.hpp"
#include "replay/filter.hpp"

namespace bellows::recommender {

/// Replays one workload. The lines are those of docs/recommender.md. Owner: the program, or a test.
class RecommenderFilter final : public replay::Filter {
 public:
  /// `flags` take precedence over config lines and must be valid. `note` gets the text of warnings;
  /// it may be empty.
  explicit RecommenderFilter(config::Layer flags,
                             std::function<void(const std::string&)> note = {});

  Result<void> take(const json::Object& line, std::string& out) override;

  /// Returns the policy after the lines so far. `now` is the time of the last one.
  Policy& policy() { return *policy_; }
  WallTime now() const { return now_; }

  /// Sets the container for explain(). Call it before the first line.
  void prepare_to_explain(ContainerName container) {
    explanation_.container = std::move(container);
  }
  /// Returns the explanation of the last recommendation if that was the last line, otherwise of one
  /// at that time.
  Result<std::vector<std::string>> explain() const;

 private:
  Result<void> reset();
  Result<void> take_config(const json::Object& line);
  Result<void> take_container(const json::Object& line);
  Result<void> take_request(const json::Object& line, InstanceId instance);
  Result<void> take_usage(const json::Object& line, InstanceId instance);
  Result<void> take_event(const json::Object& line, InstanceId instance);
  Result<void> write_recommendations(double at, std::string& out);
  Result<void> write_checkpoints(double at, std::string& out);
  void warn();

  config::Layer flags_;
  std::function<void(const std::string&)> note_;
  ReplayConfig config_;
  std::unique_ptr<Policy> policy_;
  replay::VirtualClock clock_;
  WallTime now_ = kReplayEpoch;
  bool has_warned_ = false;          // about container policies without a container
  std::vector<std::string> warned_;  // about the current settings
  Explanation explanation_;          // empty: other lines followed the last recommendation
};

}  // namespace bellows::recommender
