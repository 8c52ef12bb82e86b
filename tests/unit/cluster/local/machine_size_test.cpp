#include "cluster/local/machine_size.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bellows::cluster {
namespace {

/// Files with these texts, and no others.
class TextFiles final : public CgroupFiles {
 public:
  explicit TextFiles(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

  Result<std::string> read(const std::string& path) const override {
    const auto found = texts_.find(path);
    if (found == texts_.end()) return fail(ErrorKind::kNotFound, path, "there is no such file");
    return found->second;
  }
  Result<void> make_group(const std::string&) const override { return {}; }
  Result<void> remove_group(const std::string&) const override { return {}; }
  std::vector<std::string> groups_in(const std::string&) const override { return {}; }
  Result<void> write(const std::string&, const std::string&) const override { return {}; }

 private:
  std::map<std::string, std::string> texts_;
};

const MachineSize kWhole{.cpu = Millicores{8000}, .memory = mebibytes(16384)};

CgroupPlaces at(CgroupVersion version, const std::string& folder) {
  CgroupPlaces places;
  places.version = version;
  places.folders.fill(folder);
  return places;
}

TEST(MachineSize, IsReadFromMeminfo) {
  EXPECT_EQ(parse_memory_total("MemFree: 5 kB\nMemTotal:       16318880 kB\n"),
            kibibytes(16318880));
  const auto none = parse_memory_total("MemFree: 5 kB\n");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(to_string(none.error()).find("/proc/meminfo"), std::string::npos);
}

TEST(MachineSize, TheNarrowestGroupOnTheWayToTheRootCounts) {
  const TextFiles files({{"/sys/fs/cgroup/pod/app/memory.max", "max\n"},
                         {"/sys/fs/cgroup/pod/app/cpu.max", "150000 100000\n"},
                         {"/sys/fs/cgroup/pod/memory.max", "1073741824\n"},
                         {"/sys/fs/cgroup/pod/cpu.max", "400000 100000\n"}});
  const auto places = at(CgroupVersion::kV2, "/sys/fs/cgroup/pod/app");
  EXPECT_EQ(within_groups(kWhole, places, files),
            (MachineSize{.cpu = Millicores{1500}, .memory = mebibytes(1024)}));
}

TEST(MachineSize, VersionOneHasQuotaAndPeriodInTwoFiles) {
  const TextFiles files({{"/sys/fs/cgroup/memory/app/memory.limit_in_bytes", "536870912\n"},
                         {"/sys/fs/cgroup/memory/app/cpu.cfs_quota_us", "50000\n"},
                         {"/sys/fs/cgroup/memory/app/cpu.cfs_period_us", "100000\n"},
                         {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
                         {"/sys/fs/cgroup/memory/cpu.cfs_quota_us", "-1\n"},
                         {"/sys/fs/cgroup/memory/cpu.cfs_period_us", "100000\n"}});
  const auto places = at(CgroupVersion::kV1, "/sys/fs/cgroup/memory/app");
  EXPECT_EQ(within_groups(kWhole, places, files),
            (MachineSize{.cpu = Millicores{500}, .memory = mebibytes(512)}));
}

TEST(MachineSize, WithoutLimitsItIsThatOfTheMachine) {
  EXPECT_EQ(within_groups(kWhole, at(CgroupVersion::kV2, "/sys/fs/cgroup"), TextFiles({})), kWhole);
  EXPECT_EQ(parse_group_memory("max"), std::nullopt);
  EXPECT_EQ(parse_group_memory(""), std::nullopt);
  EXPECT_EQ(parse_group_cpu("max 100000"), std::nullopt);
  EXPECT_EQ(parse_group_cpu("100000"), std::nullopt);
}

TEST(MachineSize, ThisMachineHasSome) {
  const auto size = this_machine();
  ASSERT_TRUE(size.has_value()) << to_string(size.error());
  EXPECT_GT(size->cpu.value, 0);
  EXPECT_GT(size->memory, mebibytes(16));
}

}  // namespace
}  // namespace bellows::cluster
