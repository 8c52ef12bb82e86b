#include "queue-proxy/core/app_files.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;

TEST(AppFiles, GroupsOfVersionTwoAreOneFolder) {
  const std::string mounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
  const GroupFolders folders = group_folders("0::/pods/web\n", mounts);
  EXPECT_EQ(folders, (GroupFolders{true, "/sys/fs/cgroup/pods/web", "/sys/fs/cgroup/pods/web",
                                   "/sys/fs/cgroup/pods/web"}));
}

TEST(AppFiles, GroupsOfVersionOneHaveAFolderPerController) {
  const std::string mounts =
      "30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cpu rw,cpu\n"
      "31 23 0:27 / /sys/fs/cgroup/cpuacct rw - cgroup cpuacct rw,cpuacct\n"
      "32 23 0:28 /box /sys/fs/cgroup/memory rw - cgroup memory rw,memory\n";
  const GroupFolders folders = group_folders("2:cpuacct:/\n1:cpu:/a\n4:memory:/box/b\n", mounts);
  EXPECT_EQ(folders, (GroupFolders{false, "/sys/fs/cgroup/cpu/a", "", "/sys/fs/cgroup/memory/b"}));
}

TEST(AppFiles, LimitsAndPressure) {
  EXPECT_EQ(cpu_quota("50000 100000\n"), Millicores{500});
  EXPECT_EQ(cpu_quota("max 100000\n"), std::nullopt);
  EXPECT_EQ(cpu_quota("1 0\n"), std::nullopt);
  EXPECT_EQ(single_number("4096\n"), 4096);
  EXPECT_EQ(single_number("-1\n"), std::nullopt);
  EXPECT_EQ(single_number("max\n"), std::nullopt);
  EXPECT_EQ(value_of("nr_periods 3\nthrottled_usec 12\n", "throttled_usec"), 12);
  EXPECT_EQ(value_of("x_throttled_usec 12\n", "throttled_usec"), std::nullopt);
  EXPECT_EQ(some_pressure("some avg10=12.50 avg60=1.00 total=3\nfull avg10=99.00\n"), 0.125);
  EXPECT_EQ(some_pressure("some avg10=nan\n"), std::nullopt);
}

TEST(AppFiles, AProcessWhoseNameHasSpacesAndParentheses) {
  const std::string stat =
      "42 (a (b) 1) S 1 42 42 0 -1 4194560 2000 0 0 0 150 50 7 7 20 0 4 0 1000 99999 300 1 1\n";
  const auto use = process_use(stat, 100, 4096);
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->cpu, 2s);
  EXPECT_EQ(use->memory, Bytes{300 * 4096});
  EXPECT_FALSE(process_use("42 (a) S 1", 100, 4096).has_value());
}

}  // namespace
}  // namespace bellows::queue_proxy
