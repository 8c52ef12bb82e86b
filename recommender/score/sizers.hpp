// Sizers for the simulation: a policy as in production, or a schedule that knows the future.
#pragma once

#include <memory>
#include <vector>

#include "recommender/core/policy.hpp"
#include "recommender/score/simulation.hpp"

namespace bellows::recommender::score {

/// A policy, used through the same interface as by every source.
class PolicySizer final : public Sizer {
 public:
  explicit PolicySizer(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  void on_lifetime_begin(std::size_t life, WallTime at) override;
  void on_lifetime_end(WallTime at) override;
  void on_request(const Request& request, WallTime at) override;
  void on_usage(const Usage& usage) override;
  void on_event(const Event& event) override;
  std::optional<Sizes> recommend(WallTime now) override;

 private:
  std::unique_ptr<Policy> policy_;
  InstanceId instance_;
};

/// A fixed schedule: requests[i] is valid in the i-th interval.
class Schedule final : public Sizer {
 public:
  Schedule(std::vector<Request> requests, Duration interval)
      : requests_(std::move(requests)), interval_(interval) {}

  void on_lifetime_begin(std::size_t, WallTime) override {}
  void on_lifetime_end(WallTime) override {}
  void on_request(const Request&, WallTime) override {}
  void on_usage(const Usage&) override {}
  void on_event(const Event&) override {}
  std::optional<Sizes> recommend(WallTime now) override;

 private:
  std::vector<Request> requests_;
  Duration interval_;
};

}  // namespace bellows::recommender::score
