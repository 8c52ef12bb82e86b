// Those who size the container of a world: a policy as in production, or one who knows the future.
#pragma once

#include <memory>
#include <vector>

#include "recommender/core/policy.hpp"
#include "recommender/score/world.hpp"

namespace bellows::recommender::score {

/// A policy, fed and asked through the seam that every source uses.
class PolicySizer final : public Sizer {
 public:
  explicit PolicySizer(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  void life_begins(std::size_t life, WallTime at) override;
  void life_ends(WallTime at) override;
  void given(const Request& request, WallTime at) override;
  void measured(const Usage& usage) override;
  void happened(const Event& event) override;
  std::optional<Sizes> ask(WallTime now) override;

 private:
  std::unique_ptr<Policy> policy_;
  InstanceId instance_;
};

/// Requests known beforehand: requests[i] holds for the i-th stretch of time.
class Schedule final : public Sizer {
 public:
  Schedule(std::vector<Request> requests, Duration stretch)
      : requests_(std::move(requests)), stretch_(stretch) {}

  void life_begins(std::size_t, WallTime) override {}
  void life_ends(WallTime) override {}
  void given(const Request&, WallTime) override {}
  void measured(const Usage&) override {}
  void happened(const Event&) override {}
  std::optional<Sizes> ask(WallTime now) override;

 private:
  std::vector<Request> requests_;
  Duration stretch_;
};

}  // namespace bellows::recommender::score
