#include "base/sys/start_code.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace bellows::sys {
namespace {

/// Resident pages of files, in KB.
long resident_of_files() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stol(line.substr(line.find(':') + 1));
  }
  return -1;
}

TEST(StartCode, IsResidentNoMore) {
  // Much of the libraries: streams, locales, numbers.
  std::ostringstream text;
  text << 1.5 << ' ' << std::hex << 255;
  const long before = resident_of_files();
  release_start_code();
  const long after = resident_of_files();
  EXPECT_GT(before, 0);
  EXPECT_GT(after, 0);
  EXPECT_LT(after, before * 3 / 4) << before << " KB before";
}

TEST(StartCode, RunsOnAfterwards) {
  static int written = 7;  // in a segment that stays
  written = 8;
  release_start_code();
  std::ostringstream text;
  text << written << ' ' << 2.25;
  EXPECT_EQ(text.str(), "8 2.25");
}

}  // namespace
}  // namespace bellows::sys
