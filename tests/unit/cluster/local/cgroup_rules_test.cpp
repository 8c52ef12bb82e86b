#include "cluster/local/cgroup_rules.hpp"

#include <gtest/gtest.h>
// before rapidcheck, which needs it
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using Writes = std::vector<ControlWrite>;

constexpr auto kV1 = CgroupVersion::kV1;
constexpr auto kV2 = CgroupVersion::kV2;

TEST(FindCgroups, VersionOneHasAFolderPerController) {
  const auto places = find_cgroups(
      "30 28 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "31 28 0:27 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
      "32 28 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
      "4:memory:/users/ann\n2:cpu,cpuacct:/\n0::/\n");
  ASSERT_TRUE(places.has_value());
  EXPECT_EQ(places->version, kV1);
  EXPECT_EQ(places->folder(Controller::kMemory), "/sys/fs/cgroup/memory/users/ann");
  EXPECT_EQ(places->folder(Controller::kCpu), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(places->folder(Controller::kCpuUsage), "/sys/fs/cgroup/cpu,cpuacct");
}

TEST(FindCgroups, InAContainerThePathIsRelativeToTheMountedRoot) {
  const auto places =
      find_cgroups("31 28 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
                   "4:memory:/docker/abc/inner\n");
  ASSERT_TRUE(places.has_value());
  EXPECT_EQ(places->folder(Controller::kMemory), "/sys/fs/cgroup/memory/inner");
  EXPECT_EQ(places->folder(Controller::kCpu), "");
}

TEST(FindCgroups, VersionTwoHasOneFolderForAll) {
  const auto places =
      find_cgroups("31 28 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
                   "0::/user.slice/run-7.scope\n");
  ASSERT_TRUE(places.has_value());
  EXPECT_EQ(places->version, kV2);
  for (const Controller controller : kControllers) {
    EXPECT_EQ(places->folder(controller), "/sys/fs/cgroup/user.slice/run-7.scope");
  }
}

TEST(FindCgroups, WithoutAMountAreUnsupported) {
  for (const char* mountinfo : {"", "garbage\n- - -\n", "1 2 3 / /proc rw - proc proc rw\n"}) {
    const auto places = find_cgroups(mountinfo, "0::/\n");
    ASSERT_FALSE(places.has_value());
    EXPECT_EQ(to_string(places.error()),
              "cgroups: want version 1 with the memory controller, or version 2, mounted");
  }
}

TEST(SizeWrites, ARequestIsAShareAndASoftLimit) {
  const ReplicaSize size{Millicores{250}, mebibytes(64), mebibytes(128)};
  EXPECT_EQ(size_writes(kV1, {}, size),
            (Writes{{Controller::kCpu, "cpu.shares", "256"},
                    {Controller::kMemory, "memory.soft_limit_in_bytes", "67108864"},
                    {Controller::kMemory, "memory.limit_in_bytes", "134217728"}}));
  EXPECT_EQ(size_writes(kV2, {}, size), (Writes{{Controller::kCpu, "cpu.weight", "10"},
                                                {Controller::kMemory, "memory.low", "67108864"},
                                                {Controller::kMemory, "memory.max", "134217728"}}));
}

TEST(SizeWrites, AreOnlyTheChangesAndALimitIsRaisedFirstAndLoweredLast) {
  const ReplicaSize small{Millicores{250}, mebibytes(64), mebibytes(128)};
  const ReplicaSize large{Millicores{250}, mebibytes(256), mebibytes(512)};
  const auto files = [](const Writes& writes) {
    std::vector<std::string> names;
    for (const ControlWrite& write : writes) names.push_back(write.file + " " + write.text);
    return names;
  };
  EXPECT_EQ(files(size_writes(kV2, small, large)),
            (std::vector<std::string>{"memory.max 536870912", "memory.low 268435456"}));
  EXPECT_EQ(files(size_writes(kV2, large, small)),
            (std::vector<std::string>{"memory.low 67108864", "memory.max 134217728"}));
  EXPECT_TRUE(size_writes(kV1, small, small).empty());
}

TEST(SizeWrites, ResetUnsetValuesToTheDefault) {
  const ReplicaSize size{Millicores{250}, mebibytes(64), mebibytes(128)};
  EXPECT_EQ(size_writes(kV1, size, {}),
            (Writes{{Controller::kCpu, "cpu.shares", "1024"},
                    {Controller::kMemory, "memory.limit_in_bytes", "-1"},
                    {Controller::kMemory, "memory.soft_limit_in_bytes", "-1"}}));
  EXPECT_EQ(size_writes(kV2, size, {}), (Writes{{Controller::kCpu, "cpu.weight", "100"},
                                                {Controller::kMemory, "memory.max", "max"},
                                                {Controller::kMemory, "memory.low", "0"}}));
}

TEST(SizeWrites, KeepSharesAndWeightsWithinTheRangeOfTheKernel) {
  const auto share = [](CgroupVersion version, std::int64_t millicores) {
    return size_writes(version, {}, {.cpu = Millicores{millicores}}).at(0).text;
  };
  EXPECT_EQ(share(kV1, 1), "2");
  EXPECT_EQ(share(kV2, 1), "1");
  EXPECT_EQ(share(kV2, 1000), "39");  // like Kubernetes
  EXPECT_EQ(share(kV1, 1'000'000), "262144");
  EXPECT_EQ(share(kV2, 1'000'000), "10000");
}

TEST(GroupUsage, VersionOneHasNanosecondsAndInactiveFilePages) {
  const GroupUsage usage =
      parse_group_usage(kV1, {"1500000000\n", "104857600\n",
                              "cache 9\ninactive_file 1\ntotal_inactive_file 4857600\n",
                              "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"});
  EXPECT_EQ(usage, (GroupUsage{1500ms, Bytes{100'000'000}, 2}));
}

TEST(GroupUsage, VersionTwoHasMicroseconds) {
  const GroupUsage usage =
      parse_group_usage(kV2, {"usage_usec 1500000\nuser_usec 1\n", "104857600\n",
                              "anon 5\ninactive_file 4857600\n", "low 0\noom 1\noom_kill 2\n"});
  EXPECT_EQ(usage, (GroupUsage{1500ms, Bytes{100'000'000}, 2}));
}

TEST(GroupUsage, OfUnreadableFilesIsUnknownNotZero) {
  for (const CgroupVersion version : {kV1, kV2}) {
    EXPECT_EQ(parse_group_usage(version, {"", "", "", ""}), GroupUsage{});
    EXPECT_EQ(parse_group_usage(version, {"x", "max", "inactive_file", "oom_kill"}), GroupUsage{});
  }
}

TEST(GroupUsage, WithMoreInactivePagesThanPagesInUseIsZero) {
  EXPECT_EQ(parse_group_usage(kV2, {"", "100", "inactive_file 4096\n", ""}).memory, Bytes{0});
}

TEST(RunFolder, HasThePidAndTheStartTime) {
  EXPECT_EQ(run_folder(42, 777), "bellows-42-777");
  const auto owner = parse_run_folder("bellows-42-777");
  ASSERT_TRUE(owner.has_value());
  EXPECT_EQ(owner->pid, 42);
  EXPECT_EQ(owner->start_ticks, 777u);
}

TEST(RunFolder, OfAnotherProgramIsNotParsed) {
  for (const char* name : {"", "bellows", "bellows-42", "bellows-42-", "bellows-042-7",
                           "bellows-42-7-1", "user.slice", "bellows-x-7", "Bellows-42-7"}) {
    EXPECT_FALSE(parse_run_folder(name).has_value()) << name;
  }
}

TEST(StartTicks, AreParsedAfterANameWithParentheses) {
  std::string stat = "42 (a) (b) c) S 1 42";
  for (int field = 6; field < 22; ++field) stat += " 0";
  EXPECT_EQ(parse_start_ticks(stat + " 123456 7 8"), 123456u);
  EXPECT_EQ(parse_start_ticks(stat), std::nullopt);
  EXPECT_EQ(parse_start_ticks(""), std::nullopt);
}

/// `text` with one byte replaced.
std::string with_changed_byte(std::string text) {
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  text[place] = *rc::gen::elementOf(std::string("0123456789 -+.\nxkm("));
  return text;
}

RC_GTEST_PROP(GroupUsage, EveryCountReadsBack,
              (std::uint32_t micros, std::uint32_t memory, std::uint16_t inactive,
               std::uint16_t kills)) {
  const std::string total = std::to_string(memory) + "\n";
  const std::string events = "low 0\noom_kill " + std::to_string(kills) + "\n";
  const std::string pages = "inactive_file " + std::to_string(inactive) + "\n";
  const GroupUsage expected{std::chrono::microseconds(micros),
                            Bytes{std::max<std::int64_t>(0, std::int64_t{memory} - inactive)},
                            kills};
  RC_ASSERT(parse_group_usage(kV2, {"usage_usec " + std::to_string(micros) + "\n", total, pages,
                                    events}) == expected);
  RC_ASSERT(parse_group_usage(kV1, {std::to_string(std::int64_t{micros} * 1000) + "\n", total,
                                    "total_" + pages, events}) == expected);
}

RC_GTEST_PROP(GroupUsage, OfAChangedFileChangesNoOtherValue, ()) {
  const std::string cpu = "usage_usec 1500000\nuser_usec 1\n";
  const GroupUsage usage = parse_group_usage(
      kV2,
      {with_changed_byte(cpu), "104857600\n", "inactive_file 4857600\n", "oom 1\noom_kill 2\n"});
  RC_ASSERT(usage.memory == Bytes{100'000'000});
  RC_ASSERT(usage.oom_kills == 2);
  RC_ASSERT(!usage.cpu || *usage.cpu >= Duration::zero());
}

RC_GTEST_PROP(RunFolder, WithAChangedByteIsNobodysOrReadsBackToItself, ()) {
  const std::string name = with_changed_byte(run_folder(42, 777));
  const auto owner = parse_run_folder(name);
  RC_ASSERT(!owner || run_folder(owner->pid, owner->start_ticks) == name);
}

TEST(AppLimits, OfCpuAreAShareOfEachTenthOfASecond) {
  EXPECT_EQ(cpu_limit_writes(CgroupVersion::kV2, Millicores{1500}),
            (std::vector<ControlWrite>{{Controller::kCpu, "cpu.max", "150000 100000"}}));
  EXPECT_EQ(cpu_limit_writes(CgroupVersion::kV1, Millicores{10}),
            (std::vector<ControlWrite>{{Controller::kCpu, "cpu.cfs_period_us", "100000"},
                                       {Controller::kCpu, "cpu.cfs_quota_us", "1000"}}));
}

TEST(AppLimits, OfMemoryHoldForEverySize) {
  const AppLimits limits{.memory = mebibytes(350)};
  EXPECT_EQ(within(limits, {}).memory_limit, mebibytes(350));
  EXPECT_EQ(within(limits, {{}, mebibytes(400), mebibytes(500)}),
            (ReplicaSize{{}, mebibytes(350), mebibytes(350)}));
  EXPECT_EQ(within(limits, {{}, mebibytes(100), mebibytes(200)}),
            (ReplicaSize{{}, mebibytes(100), mebibytes(200)}));
  EXPECT_EQ(within({}, {{}, mebibytes(100), {}}).memory_limit, std::nullopt);
}

}  // namespace
}  // namespace bellows::cluster
