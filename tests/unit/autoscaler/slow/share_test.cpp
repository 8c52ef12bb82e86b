// A revision that gets a part of its service's requests.
#include <gtest/gtest.h>

#include <string>

#include "autoscaler/slow/slow_brain.hpp"
#include "autoscaler/slow/slow_json.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

TEST(SlowBrain, ANewVersionKeepsReplicasForItsPartOfTheJumps) {
  TimePoint now{10h};
  SlowState state;
  const Jump jump{.at = now - 2min, .load = 40, .missed = 30};
  record_jumps(state.jumps, {jump, jump}, now);
  const JumpRecord before = state.jumps;
  start_version(state, "b");
  EXPECT_EQ(state.jumps, before);
  SlowSpec spec;
  const auto kept = [&] {
    const Interval interval{.begin = now, .end = now + 30s};
    now += 30s;
    return evaluate(spec, state, interval).kept_load;
  };
  EXPECT_DOUBLE_EQ(kept(), 40);
  spec.share = 0.05;
  EXPECT_DOUBLE_EQ(kept(), 2);
}

TEST(SlowSpec, ATextReadsBackAndWithoutAShareMeansTheWholeService) {
  const auto read_back = [](const SlowSpec& spec) {
    json::Writer out;
    write_spec(out, "spec", spec);
    const auto root = json::parse(out.end_line());
    return read_spec(*root->object("spec"));
  };
  SlowSpec spec;
  spec.goal = config::LatencyGoal{.quantile = 0.95, .limit = 80ms};
  EXPECT_EQ(*read_back(spec), spec);
  spec.share = 0.05;
  EXPECT_EQ(*read_back(spec), spec);
  spec.share = 1.5;
  EXPECT_EQ(to_string(read_back(spec).error()).find("spec.share"), 0U)
      << to_string(read_back(spec).error());
  json::Writer before;
  write_spec(before, "spec", {});
  EXPECT_EQ(before.end_line().find("share"), std::string::npos);
}

}  // namespace
}  // namespace bellows::autoscaler::slow
