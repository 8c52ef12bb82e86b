// One workload with one replica in virtual time: what the stories of the policies are reported
// with.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "recommender/core/policy.hpp"

namespace bellows::recommender {

inline constexpr double kMinute = 60;
inline constexpr double kHour = 3600;
inline constexpr double kDay = 86400;
inline constexpr std::int64_t kMi = std::int64_t{1024} * 1024;

/// Names the rows of a table by what they are about.
template <class Row>
std::string scenario_of(const testing::TestParamInfo<Row>& info) {
  return info.param.scenario;
}

class Scene {
 public:
  explicit Scene(config::RecommenderPolicy policy, WorkloadSettings settings = {})
      : kind_(policy), settings_(std::make_shared<const WorkloadSettings>(std::move(settings))) {
    policy_ = make_policy(policy, settings_);
    app_ = policy_->add_instance(PodName(""), ContainerName("app"), replay_time(0));
  }

  Policy& policy() { return *policy_; }
  InstanceId app() const { return app_; }

  void cpu(double at, double millicores) { usage(at, Resource::kCpu, millicores / 1000); }
  void memory(double at, double bytes) { usage(at, Resource::kMemory, bytes); }
  void usage(double at, Resource resource, double amount) {
    const auto taken = policy_->record(app_, Usage{replay_time(at), resource, amount});
    EXPECT_TRUE(taken.has_value()) << to_string(taken.error());
  }
  void request(double at, std::int64_t millicores, std::int64_t bytes) {
    const auto set =
        policy_->set_request(app_, {Millicores{millicores}, Bytes{bytes}}, replay_time(at));
    EXPECT_TRUE(set.has_value()) << to_string(set.error());
  }
  template <class What>
  void event(double at, What what) {
    const auto done = policy_->record(app_, Event{replay_time(at), what});
    EXPECT_TRUE(done.has_value()) << to_string(done.error());
  }

  Recommendation recommend(double at) { return policy_->recommend(replay_time(at)).at(0); }
  /// The target; 0 where nothing is recommendation.
  std::int64_t cpu_target(double at) {
    const auto sizes = recommend(at).sizes;
    return sizes && sizes->target.cpu ? sizes->target.cpu->value : 0;
  }
  std::int64_t memory_target(double at) {
    const auto sizes = recommend(at).sizes;
    return sizes && sizes->target.memory ? sizes->target.memory->value : 0;
  }

  /// As if the program had ended and begun again: saved, and restored into a new policy.
  void restart(double at) {
    const std::string saved = policy_->save(replay_time(at));
    policy_ = make_policy(kind_, settings_);
    const auto restored = policy_->restore(saved);
    ASSERT_TRUE(restored.has_value()) << to_string(restored.error());
    EXPECT_EQ(policy_->save(replay_time(at)), saved);
    app_ = policy_->add_instance(PodName(""), ContainerName("app"), replay_time(at));
  }

 private:
  config::RecommenderPolicy kind_;
  std::shared_ptr<const WorkloadSettings> settings_;
  std::unique_ptr<Policy> policy_;
  InstanceId app_;
};

}  // namespace bellows::recommender
