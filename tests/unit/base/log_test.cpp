#include "base/sys/log.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <string>
#include <vector>

namespace bellows::sys::log {
namespace {

std::vector<std::string> lines;

class Log : public testing::Test {
 protected:
  Log() {
    lines.clear();
    set_sink([](std::string_view line) { lines.emplace_back(line); });
  }
  ~Log() override {
    configure(Format::kPlain, Level::kInfo, "");
    set_sink(nullptr);
  }
  /// The line that was written, which begins as `start` wants it, without that.
  static std::string behind(const char* start) {
    std::smatch match;
    EXPECT_EQ(lines.size(), 1u);
    EXPECT_TRUE(std::regex_search(lines.at(0), match, std::regex(start))) << lines.at(0);
    return match.suffix();
  }
};

constexpr const char* kTimeOfDay = R"(^\d\d:\d\d:\d\d\.\d{3} )";
constexpr const char* kTimestamp = R"(^\{"ts":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z",)";
constexpr Duration kDuration = std::chrono::microseconds(1500);

TEST_F(Log, APlainLineIsForPeople) {
  configure(Format::kPlain, Level::kInfo, "p");
  warning("slow",
          {{"who", "a b"}, {"n", 3}, {"x", 1234567.891}, {"took", kDuration}, {"again", true}});
  EXPECT_EQ(behind(kTimeOfDay),
            "warning: slow  who=\"a b\"  n=3  x=1.235e+06  took=1.50ms  again=yes");
}

TEST_F(Log, AJsonLineIsOneObject) {
  configure(Format::kJson, Level::kInfo, "p");
  error("bad \"x\"", {{"n", 3}, {"x", 100000.0}, {"y", 0.1}, {"took", kDuration}, {"again", true}});
  EXPECT_EQ(behind(kTimestamp),
            R"("level":"error","program":"p","event":"bad \"x\"","n":3,"x":100000,"y":0.1,)"
            R"("took_ms":1.500,"again":true})");
}

TEST_F(Log, InfinityIsNullInJson) {
  configure(Format::kJson, Level::kInfo, "p");
  info("odd", {{"x", std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(behind(kTimestamp), R"("level":"info","program":"p","event":"odd","x":null})");
}

TEST_F(Log, OutputOfAChildIsNotAFormatString) {
  configure(Format::kPlain, Level::kInfo, "p");
  const Origin origin = {.service = "web", .revision = "web-00001", .replica = "web-00001-1"};
  output_of(origin, "100 {} %v");
  EXPECT_EQ(behind(kTimeOfDay), "web-00001-1 | 100 {} %v");
}

TEST_F(Log, OutputOfAChildNamesItsServiceInJson) {
  configure(Format::kJson, Level::kInfo, "p");
  Origin origin = {.service = "web", .revision = "web-00001", .replica = "web-00001-1"};
  output_of(origin, "hi");
  EXPECT_EQ(behind(kTimestamp), R"("level":"info","program":"p","event":"output","service":"web",)"
                                R"("revision":"web-00001","replica":"web-00001-1","line":"hi"})");
  lines.clear();
  origin.process = "queue-proxy";
  output_of(origin, "hi");
  EXPECT_EQ(
      behind(kTimestamp),
      R"("level":"info","program":"p","event":"output","service":"web",)"
      R"("revision":"web-00001","replica":"web-00001-1","process":"queue-proxy","line":"hi"})");
}

TEST_F(Log, BelowItsLevelNothingIsWritten) {
  configure(Format::kPlain, Level::kWarning, "p");
  info("not told");
  EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace bellows::sys::log
