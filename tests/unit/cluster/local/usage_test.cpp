#include "cluster/local/usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/start.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;

using test::kStart;

std::string stat_text(std::string_view name) {
  // utime 100, stime 20, cutime 3, cstime 2 ticks (fields 14 to 17); rss 500 pages (24).
  return "4711 (" + std::string(name) +
         ") S 1 4711 4711 0 -1 4194560 900 0 0 0 100 20 3 2 20 0 1 0 12345 9000000 500 "
         "18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0";
}

TEST(ProcStat, HasTheTimesOfTheProcessAndItsEndedChildrenAndResidentPages) {
  const auto totals = parse_proc_stat(stat_text("app"));
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(totals->cpu, 125 * (Duration(1s) / ::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(totals->memory.value, 500 * ::sysconf(_SC_PAGESIZE));
}

TEST(ProcStat, OfAProcessWithParenthesesInItsNameIsParsed) {
  EXPECT_EQ(parse_proc_stat(stat_text("a) S 7 8 (9")), parse_proc_stat(stat_text("app")));
}

TEST(ProcStat, ThatIsTruncatedOrMalformedIsNullopt) {
  EXPECT_FALSE(parse_proc_stat("").has_value());
  EXPECT_FALSE(parse_proc_stat("4711 (app)").has_value());
  EXPECT_FALSE(parse_proc_stat(stat_text("app").substr(0, 60)).has_value());
}

TEST(UsageOverTwoSeconds, IsCpuTimePerWallTime) {
  UsageMeter meter;
  EXPECT_EQ(meter.sample({10s, {1000}}, kStart), std::nullopt) << "there is no earlier sample";
  EXPECT_EQ(meter.sample({10500ms, {2000}}, kStart + 2s), (Usage{{250}, {2000}}));
  EXPECT_EQ(meter.sample({13500ms, {3000}}, kStart + 4s), (Usage{{1500}, {3000}}));
}

TEST(UsageAfterADecreaseOfTheTotal, IsNotNegative) {
  UsageMeter meter;
  meter.sample({10s, {1000}}, kStart);
  EXPECT_EQ(meter.sample({4s, {1000}}, kStart + 2s), (Usage{{0}, {1000}}));
  EXPECT_EQ(meter.sample({5s, {1000}}, kStart + 2s), std::nullopt) << "no time has passed";
}

TEST(UsageAfterAReset, StartsWithAFirstSample) {
  UsageMeter meter;
  meter.sample({10s, {1000}}, kStart);
  meter.reset();
  EXPECT_EQ(meter.sample({1s, {1000}}, kStart + 2s), std::nullopt);
}

TEST(ProcessTreeOfThisTest, UsesMemory) {
  EXPECT_GT(read_process_tree(::getpid()).memory.value, 1'000'000);
}

TEST(ProcessTreeOfNoProcess, IsZero) {
  EXPECT_EQ(read_process_tree(-1), ProcessTotals{});
}

}  // namespace
}  // namespace bellows::cluster
