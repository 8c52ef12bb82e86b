#include "base/sys/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace bellows::sys {
namespace {

/// A /proc and /sys that say what a test writes, on a machine that has processors enough.
class UsableCores : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::size_t found() const { return usable_cores(root()); }
  std::string root() const { return folder_.path("root"); }

  test::TemporaryFolder folder_;
};

TEST_F(UsableCores, AreThoseOfTheAffinity) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(found(), static_cast<std::size_t>(CPU_COUNT(&set)));
}

TEST_F(UsableCores, AreFewerWithinAQuotaOfAnyGroupAbove) {
  write("/proc/self/cgroup", "0::/pod/app\n");
  write("/sys/fs/cgroup/pod/app/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/pod/cpu.max", "50000 100000\n");
  EXPECT_EQ(found(), 1U) << "half a processor is one loop";
}

TEST_F(UsableCores, AreFewerWithinTheQuotaOfAContainer) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(found(), 1U);
}

TEST_F(UsableCores, AreFewerWithinAQuotaOfVersionOne) {
  write("/proc/self/cgroup", "12:memory:/pod\n4:cpu,cpuacct:/pod\n");
  write("/sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "90000\n");
  write("/sys/fs/cgroup/cpu/pod/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(found(), 1U);
}

TEST_F(UsableCores, StayWhereNoQuotaCanBeRead) {
  const std::size_t all = found();
  write("/proc/self/cgroup", "0::/pod\nnonsense\n4:cpu:/pod\n");
  write("/sys/fs/cgroup/pod/cpu.max", "max\n");
  write("/sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(found(), all);
}

}  // namespace
}  // namespace bellows::sys
