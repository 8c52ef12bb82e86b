// Which setting a report names as the one that limits the number.
#include <gtest/gtest.h>

#include "autoscaler/service/reporter.hpp"

namespace bellows::autoscaler {
namespace {

using config::MinScaleFrom;

std::string_view minimum_of(PodCount replicas, MinScaleFrom from) {
  Decision decision;
  decision.rule = Rule::kMinScale;
  decision.replicas = replicas;
  decision.spec.min_scale = 2;
  decision.spec.min_scale_from = from;
  return limiting_setting(decision);
}

TEST(LimitingSetting, OfAMinimumIsTheOneThatAsksForIt) {
  EXPECT_EQ(minimum_of(2, MinScaleFrom::kSetting), "min-scale");
  EXPECT_EQ(minimum_of(2, MinScaleFrom::kSlowBrain), "slow-brain");
  EXPECT_EQ(minimum_of(2, MinScaleFrom::kDeploy), "") << "it ends with the deploy";
  EXPECT_EQ(minimum_of(1, MinScaleFrom::kSetting), "enable-scale-to-zero");
}

}  // namespace
}  // namespace bellows::autoscaler
