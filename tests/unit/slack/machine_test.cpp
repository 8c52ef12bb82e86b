// One machine as the one node: who comes down for the next replica of the busiest service, and what
// is told before a start that would not fit.
#include "slack/machine/machine_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "slack/machine/machine_text.hpp"
#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

/// So many replicas of so many mebibytes, of which the load needs a part.
MachineService service(const std::string& name, int replicas, std::int64_t mebibytes, int needed,
                       double demand) {
  MachineService one{.name = name + "-00001",
                     .service = name,
                     .next = {0, mebibytes * kMi, 0},
                     .needed = needed,
                     .demand = demand};
  for (int i = 1; i <= replicas; ++i) {
    one.replicas.push_back({name + "-" + std::to_string(i), one.next});
  }
  return one;
}

MachineInput machine(std::int64_t mebibytes, std::vector<MachineService> services) {
  return {.capacity = {kNotCounted, mebibytes * kMi, kNotCounted},
          .services = std::move(services),
          .busiest_before = {}};
}

const ServiceRoom& room_of(const MachinePlan& plan, const std::string& name) {
  return *std::ranges::find(plan.services, name, &ServiceRoom::service);
}

TEST(OneMachine, SomebodyComesDownOnlyIfTheNextReplicaWouldNotFit) {
  const MachinePlan plan = plan_machine(
      machine(1000, {service("blog", 3, 200, 1, 0.4), service("web", 1, 300, 1, 0.9)}));
  EXPECT_EQ(plan.busiest, "web-00001");
  EXPECT_EQ(room_of(plan, "web").fit_more, 0) << "100Mi are free";
  EXPECT_EQ(room_of(plan, "blog").limit, 2) << "100Mi are free, and one replica has 200Mi";
  const MachinePlan roomy = plan_machine(
      machine(1200, {service("blog", 3, 200, 1, 0.4), service("web", 1, 300, 1, 0.9)}));
  EXPECT_TRUE(roomy.is_room_kept);
  EXPECT_EQ(room_of(roomy, "blog").limit, std::nullopt);
  EXPECT_EQ(room_of(roomy, "web").fit_more, 1);
  EXPECT_TRUE(roomy.unmet.empty());
}

TEST(OneMachine, NoMoreComesDownThanIsNecessary) {
  const MachinePlan plan =
      plan_machine(machine(1000, {service("blog", 4, 100, 0, 0), service("web", 2, 300, 2, 1.8)}));
  EXPECT_EQ(room_of(plan, "blog").limit, 1) << "three of 100Mi make room for 300Mi";
  EXPECT_TRUE(plan.is_room_kept);
}

TEST(OneMachine, AnIdleServiceGoesBeforeOneThatServes) {
  const MachinePlan plan =
      plan_machine(machine(1000, {service("blog", 3, 100, 1, 0.5), service("docs", 1, 100, 0, 0),
                                  service("web", 6, 100, 6, 5.5)}));
  EXPECT_EQ(room_of(plan, "docs").limit, 0);
  EXPECT_EQ(room_of(plan, "blog").limit, std::nullopt);
}

TEST(OneMachine, NothingComesDownBelowWhatItsLoadNeeds) {
  const MachinePlan plan = plan_machine(
      machine(1000, {service("blog", 4, 100, 4, 3.5), service("web", 6, 100, 6, 5.5)}));
  EXPECT_FALSE(plan.is_room_kept);
  EXPECT_EQ(room_of(plan, "blog").limit, std::nullopt);
  ASSERT_EQ(plan.unmet.size(), 2U);
  EXPECT_EQ(to_line(plan.unmet[1]),
            "service web: memory 100Mi: its next replica would not fit: 0 of 1000Mi are free; 6 "
            "replicas of this size fit beside the other services, and one more with memory of at "
            "most 85Mi");
}

TEST(OneMachine, NobodyComesDownWithoutEffect) {
  const MachinePlan plan =
      plan_machine(machine(1000, {service("blog", 2, 100, 0, 0), service("web", 1, 700, 1, 0.9)}));
  EXPECT_FALSE(plan.is_room_kept);
  EXPECT_EQ(room_of(plan, "blog").limit, std::nullopt) << "300Mi are no room for 700Mi";
}

TEST(OneMachine, MoreReplicasThanFitComeDownAsFarAsTheyMay) {
  const MachinePlan plan = plan_machine(
      machine(1000, {service("blog", 4, 200, 1, 0.2), service("web", 3, 300, 3, 2.9)}));
  EXPECT_EQ(room_of(plan, "blog").limit, 1);
  EXPECT_FALSE(plan.is_room_kept);
  EXPECT_EQ(to_line(plan.unmet.front()),
            "machine: memory 1700Mi: its replicas take more than the 1000Mi it has: want fewer of "
            "them (max-scale), or smaller ones");
}

TEST(OneMachine, AReplicaLargerThanTheMachineIsToldWithTheSizeThatFits) {
  const MachinePlan plan = plan_machine(machine(1000, {service("web", 0, 2048, 0, 0)}));
  ASSERT_EQ(plan.unmet.size(), 1U);
  EXPECT_EQ(to_line(plan.unmet[0]),
            "service web: memory 2Gi: a replica takes more than the machine has: want memory of at "
            "most 1000Mi");
}

TEST(OneMachine, AStartThatWouldNotFitIsToldBeforehandAndWhoComesDown) {
  const MachinePlan plan = plan_machine(
      machine(1000, {service("blog", 3, 200, 1, 0.4), service("web", 1, 300, 1, 0.9)}));
  ASSERT_EQ(plan.unmet.size(), 2U);
  EXPECT_EQ(to_line(plan.unmet[1]),
            "service web: memory 300Mi: its next replica would not fit: 100Mi of 1000Mi are free; "
            "1 replica of this size fits beside the other services, and one more with memory of at "
            "most 200Mi; room is made: blog is reduced from 3 to 2 replicas");
}

TEST(OneMachine, AServiceAtItsMaxScaleNeedsNoRoom) {
  MachineService web = service("web", 3, 300, 3, 2.9);
  web.max_scale = 3;
  const MachinePlan plan = plan_machine(machine(1000, {service("blog", 1, 50, 0, 0.1), web}));
  EXPECT_EQ(plan.busiest, "blog-00001");
  EXPECT_TRUE(plan.unmet.empty()) << to_line(plan.unmet[0]);
}

TEST(OneMachine, ReplicasThatAreOnlyKeptAreTheRoomOfTheBusiestService) {
  const MachinePlan plan =
      plan_machine(machine(1000, {service("blog", 4, 100, 0, 0), service("web", 6, 100, 5, 4.9)}));
  EXPECT_TRUE(plan.is_room_kept);
  EXPECT_EQ(room_of(plan, "blog").limit, std::nullopt);
}

TEST(OneMachine, TheBusiestServiceStaysUntilAnotherIsClearlyBusier) {
  MachineInput input =
      machine(1000, {service("blog", 2, 100, 2, 1.9), service("web", 2, 100, 2, 2)});
  EXPECT_EQ(plan_machine(input).busiest, "web-00001");
  input.busiest_before = "blog-00001";
  EXPECT_EQ(plan_machine(input).busiest, "blog-00001");
  input.services[1].demand = 2.2;
  EXPECT_EQ(plan_machine(input).busiest, "web-00001");
}

TEST(OneMachine, AmountsWithoutASizeTakeNothing) {
  MachineService web = service("web", 50, 0, 50, 49);
  web.next.cpu_millicores = 0;
  const MachinePlan plan = plan_machine(machine(1000, {web}));
  EXPECT_TRUE(plan.is_room_kept);
  EXPECT_TRUE(plan.unmet.empty());
}

TEST(OneMachine, CpuAndMemoryAreBothCounted) {
  MachineInput input = machine(1000, {service("web", 2, 100, 2, 1.9)});
  input.capacity.cpu_millicores = 1000;
  for (MachineReplica& replica : input.services[0].replicas) replica.size.cpu_millicores = 400;
  input.services[0].next.cpu_millicores = 400;
  const MachinePlan plan = plan_machine(input);
  EXPECT_FALSE(plan.is_room_kept);
  ASSERT_EQ(plan.unmet.size(), 1U);
  EXPECT_EQ(plan.unmet[0].field, "cpu");
  EXPECT_NE(plan.unmet[0].reason.find("200m of 1000m are free"), std::string::npos)
      << plan.unmet[0].reason;
}

/// What may be said of any plan, whatever the services are.
void expect_sound(const MachineInput& input, const MachinePlan& plan) {
  Resources after;
  std::int64_t lowered = 0;
  for (const MachineService& one : input.services) {
    const ServiceRoom& room = room_of(plan, one.service);
    const auto have = static_cast<std::int64_t>(one.replicas.size());
    const std::int64_t stay = room.limit.value_or(have);
    EXPECT_GE(stay, std::min(have, one.needed)) << one.name;
    EXPECT_LE(stay, have) << one.name;
    if (stay < have) ++lowered;
    EXPECT_TRUE(one.name != plan.busiest || stay == have) << "it comes down for itself";
    after.memory_bytes += one.next.memory_bytes * stay;
  }
  const bool fits_after = after.memory_bytes <= input.capacity.memory_bytes;
  EXPECT_TRUE(fits_after || !plan.is_room_kept);
  const bool was_over = plan.used.memory_bytes > input.capacity.memory_bytes;
  EXPECT_TRUE(lowered == 0 || plan.is_room_kept || was_over) << "without effect";
}

/// The plan is carried out: the next one lowers nothing more, and the order of the input is
/// nothing.
void expect_settled(MachineInput input, const MachinePlan& plan) {
  for (MachineService& one : input.services) {
    const auto limit = room_of(plan, one.service).limit;
    if (limit) one.replicas.resize(static_cast<std::size_t>(*limit));
  }
  input.busiest_before = plan.busiest;
  std::ranges::reverse(input.services);
  for (const ServiceRoom& room : plan_machine(input).services) {
    EXPECT_EQ(room.limit, std::nullopt) << room.name << " comes down a second time";
  }
}

TEST(OneMachine, AnyMachineIsPlannedSoundlyAndOnce) {
  SeededRandom random(21);
  const auto up_to = [&random](std::uint64_t most) {
    return static_cast<std::int64_t>(random.next() % (most + 1));
  };
  for (int turn = 0; turn < 1000; ++turn) {
    std::vector<MachineService> services;
    for (std::int64_t i = 0, count = 1 + up_to(4); i < count; ++i) {
      const auto replicas = static_cast<int>(up_to(6));
      const auto needed = static_cast<int>(up_to(static_cast<std::uint64_t>(replicas)));
      const double demand = needed == 0 ? 0 : needed - 0.1 * static_cast<double>(up_to(8));
      services.push_back(
          service("s" + std::to_string(i), replicas, 50 + 50 * up_to(5), needed, demand));
      services.back().max_scale = up_to(3) == 0 ? replicas : 0;
    }
    const MachineInput input = machine(500 + 100 * up_to(20), std::move(services));
    const MachinePlan plan = plan_machine(input);
    expect_sound(input, plan);
    expect_settled(input, plan);
    if (HasFailure()) FAIL() << "in turn " << turn;
  }
}

}  // namespace
}  // namespace bellows::slack
