#include "recommender/score/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bellows::recommender::score {
namespace {

TEST(Generator, TheSameSeedMakesTheSameWorkloadAndAnotherOneAnother) {
  for (const std::string& name : workload_names()) {
    const Workload first = *generate(name, 7);
    EXPECT_EQ(first.by_time, generate(name, 7)->by_time) << name;
    EXPECT_NE(first.by_time, generate(name, 8)->by_time) << name;
  }
}

TEST(Generator, EveryWorkloadIsOneThatAWorldCanLiveThrough) {
  for (const std::string& name : workload_names()) {
    const Workload workload = *generate(name, 1);
    EXPECT_EQ(workload.name, name);
    EXPECT_FALSE(workload.about.empty());
    EXPECT_EQ(std::chrono::hours(24) % workload.step, Duration::zero()) << name;
    EXPECT_GE(workload.length(), std::chrono::hours(24)) << name;
    EXPECT_GT(workload.first.memory.value, 0);
    std::size_t end = 0;
    for (const Interval& life : workload.lifetimes) {
      EXPECT_GE(life.begin, end) << name;
      EXPECT_LT(life.begin, life.end) << name;
      end = life.end;
    }
    EXPECT_LE(end, workload.by_time.size()) << name;
    for (const Demand& demand : undisturbed_demand(workload)) {
      ASSERT_GE(demand.cpu_cores, 0) << name;
      ASSERT_LE(demand.cpu_cores, 16) << name << ": the node has no more";
      ASSERT_GE(demand.memory_bytes, 0) << name;
      ASSERT_LE(demand.memory_bytes, 64. * 1024 * 1024 * 1024) << name;
    }
  }
}

TEST(Generator, AStepTurnsUpAfterADayAndDownAfterAnother) {
  const Workload workload = *generate("step", 1);
  EXPECT_EQ(workload.demand_changes, (std::vector<DemandChange>{{1440, true}, {2880, false}}));
  EXPECT_NEAR(workload.by_time[1439].cpu_cores, 0.1, 0.03);
  EXPECT_NEAR(workload.by_time[1440].cpu_cores, 2, 0.5);
  EXPECT_NEAR(workload.by_time[2880].cpu_cores, 0.1, 0.03);
}

TEST(Generator, EachMixedLoadIsAnother) {
  const Workload first = *generate("mixed-1", 1);
  EXPECT_EQ(first.by_time, generate("mixed-1", 1)->by_time);
  EXPECT_NE(first.by_time, generate("mixed-2", 1)->by_time);
  EXPECT_NE(first.by_time, generate("mixed-1", 2)->by_time);
  EXPECT_EQ(first.length(), std::chrono::hours(8 * 24));
}

TEST(Generator, AnUnknownNameIsAnsweredWithAllThatThereAre) {
  const auto made = generate("stairs", 1);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(to_string(made.error()).substr(0, 56),
            "trace stairs: no workload of that name: want all, a file");
  EXPECT_NE(made.error().message().find("step, ramp, exponential"), std::string::npos);
}

TEST(Generator, AJobComesInEveryPeriodOfItsName) {
  const auto made = generate("job-30h", 1);
  ASSERT_TRUE(made);
  const auto memory = [&](std::size_t hour) { return made->by_time[hour * 60 + 30].memory_bytes; };
  EXPECT_GT(memory(15), 2 * memory(5));
  EXPECT_GT(memory(45), 2 * memory(35));
  EXPECT_FALSE(generate("job-1h", 1));
}

}  // namespace
}  // namespace bellows::recommender::score
