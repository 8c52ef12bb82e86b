// For tests of faults: whatever fails, no descriptor, slot or memory is left.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <iterator>

#include "base/sys/log.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {

inline std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

class LeavesNothing : public testing::Test {
 protected:
  void SetUp() override {
    sys::log::info("the first line opens the log's output", {});
    descriptors_ = open_descriptors();
  }
  void TearDown() override { EXPECT_EQ(open_descriptors(), descriptors_); }

  static void expect_at_rest(ProxyWorld& world) {
    EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; }));
    EXPECT_TRUE(world.is_at_rest());
  }

 private:
  std::ptrdiff_t descriptors_ = 0;
};

}  // namespace bellows::proxy
