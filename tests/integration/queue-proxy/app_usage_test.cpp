// What the queue-proxy reads of its app, from a copy of /proc and /sys that the test writes.
#include "queue-proxy/service/app_usage.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class AppUsageTest : public testing::Test {
 protected:
  AppUsageTest() : root_(folder_.path("root")) {
    write("/proc/net/tcp",
          "  sl  local_address\n   0: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 0 0 777 1\n");
    fs::create_directories(root_ + "/proc/4242/fd");
    fs::create_symlink("socket:[777]", root_ + "/proc/4242/fd/3");
    write("/proc/self/cgroup", "0::/proxy\n");
    write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("/proc/4242/cgroup", "0::/app\n");
    use(100, 256);
  }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  /// The process itself: CPU in ticks of 10 ms, memory in pages.
  void use(int ticks, int pages) const {
    write("/proc/4242/stat", "4242 (app) S 1 1 1 0 -1 0 0 0 0 0 " + std::to_string(ticks) +
                                 " 0 0 0 20 0 1 0 5 100 " + std::to_string(pages) + " 0 0\n");
  }
  void group(int usage_us, int throttled_us) const {
    const std::string folder = "/sys/fs/cgroup/app";
    write(folder + "/cpu.stat", "usage_usec " + std::to_string(usage_us) + "\nthrottled_usec " +
                                    std::to_string(throttled_us) + "\n");
    write(folder + "/cpu.max", "50000 100000\n");
    write(folder + "/memory.current", "5000000\n");
    write(folder + "/memory.stat", "anon 1\ninactive_file 1000000\n");
    write(folder + "/memory.max", "10000000\n");
    write(folder + "/cpu.pressure", "some avg10=25.00 avg60=0 avg300=0 total=1\n");
  }
  /// After a search, if one is due; returns the steps that it took.
  static int search(AppUsage& usage, TimePoint at) {
    int steps = 0;
    while (usage.search(at)) ++steps;
    return steps;
  }
  metrics::ReplicaReading read(AppUsage& usage, TimePoint at) const {
    usage.set_ready(true);
    search(usage, at);
    metrics::ReplicaReading reading;
    usage.add_to(reading);
    return reading;
  }

  const test::TemporaryFolder folder_;
  const std::string root_;
};

TEST_F(AppUsageTest, TheControlGroupOfTheAppIsRead) {
  AppUsage usage(8080, root_);
  group(1'000'000, 0);
  EXPECT_EQ(read(usage, TimePoint(1s)).cpu, std::nullopt);  // no second before it
  group(1'300'000, 20'000);
  const metrics::ReplicaReading reading = read(usage, TimePoint(2s));
  EXPECT_EQ(reading.cpu, 300ms);
  EXPECT_EQ(reading.throttled, 20ms);
  EXPECT_EQ(reading.cpu_limit, Millicores{500});
  EXPECT_EQ(reading.memory, Bytes{4'000'000});
  EXPECT_EQ(reading.memory_limit, Bytes{10'000'000});
  EXPECT_EQ(reading.cpu_pressure, 0.25);
  EXPECT_EQ(reading.memory_pressure, std::nullopt);
}

TEST_F(AppUsageTest, TheAppIsFoundBehindTenThousandOtherSockets) {
  std::string sockets = "  sl  local_address\n";
  for (int i = 0; i < 10'000; ++i) {
    sockets += "   0: 0100007F:9C40 0100007F:1F90 06 0:0 0:0 0 0 0 " + std::to_string(i) + " 1\n";
  }
  write("/proc/net/tcp", sockets + "   1: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 0 0 777 1\n");
  AppUsage usage(8080, root_);
  group(1'000'000, 0);
  EXPECT_EQ(read(usage, TimePoint(1s)).memory, Bytes{4'000'000});
}

/// Requests and probes have their turn in between: at once it takes seconds on a busy machine.
TEST_F(AppUsageTest, TheSearchTakesManySmallSteps) {
  std::string sockets = "  sl  local_address\n";
  for (int i = 0; i < 10'000; ++i) {
    sockets += "   0: 0100007F:9C40 0100007F:1F90 06 0:0 0:0 0 0 0 " + std::to_string(i) + " 1\n";
  }
  write("/proc/net/tcp6", sockets);
  for (int i = 10; i < 1'000; ++i) {
    fs::create_symlink("socket:[1]", root_ + "/proc/4242/fd/" + std::to_string(i));
  }
  AppUsage usage(8080, root_);
  usage.set_ready(true);
  EXPECT_GT(search(usage, TimePoint(1s)), 100);
  metrics::ReplicaReading reading;
  usage.add_to(reading);
  EXPECT_NE(reading.memory, std::nullopt);
}

TEST_F(AppUsageTest, AnAppThatIsNotReadyIsNotLookedFor) {
  AppUsage usage(8080, root_);
  EXPECT_FALSE(usage.search(TimePoint(1s)));
  usage.set_ready(true);
  EXPECT_TRUE(usage.search(TimePoint(1s)));
}

TEST_F(AppUsageTest, AProcessThatListensOnAnotherPortIsNotTheApp) {
  AppUsage usage(8081, root_);
  group(1'000'000, 0);
  EXPECT_EQ(read(usage, TimePoint(1s)).memory, std::nullopt);
}

TEST_F(AppUsageTest, AGroupThatIsTheQueueProxysOwnSaysNothing) {
  write("/proc/4242/cgroup", "0::/proxy\n");
  AppUsage usage(8080, root_);
  (void)read(usage, TimePoint(1s));
  use(150, 256);
  const metrics::ReplicaReading reading = read(usage, TimePoint(2s));
  EXPECT_EQ(reading.cpu, 500ms);
  EXPECT_EQ(reading.throttled, std::nullopt);
  EXPECT_EQ(reading.memory_limit, std::nullopt);
  ASSERT_TRUE(reading.memory.has_value());
}

TEST_F(AppUsageTest, AnAppThatEndedIsLookedForAgainAfterTenSeconds) {
  AppUsage usage(8080, root_);
  (void)read(usage, TimePoint(1s));
  fs::remove_all(root_ + "/proc/4242");
  EXPECT_EQ(read(usage, TimePoint(2s)).memory, std::nullopt);
  fs::create_directories(root_ + "/proc/4343/fd");
  fs::create_symlink("socket:[777]", root_ + "/proc/4343/fd/5");
  write("/proc/4343/cgroup", "0::/proxy\n");
  write("/proc/4343/stat", "4343 (app) S 1 1 1 0 -1 0 0 0 0 0 1 0 0 0 20 0 1 0 5 100 9 0 0\n");
  EXPECT_EQ(read(usage, TimePoint(5s)).memory, std::nullopt);
  EXPECT_NE(read(usage, TimePoint(12s)).memory, std::nullopt);
}

TEST_F(AppUsageTest, AnAppThatCannotBeSeenLeavesEverythingUnknown) {
  AppUsage usage(9999, root_);
  EXPECT_EQ(read(usage, TimePoint(1s)), metrics::ReplicaReading{});
}

}  // namespace
}  // namespace bellows::queue_proxy
