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
    const sockaddr_in anywhere = test::loopback(1);
    // NOLINTNEXTLINE: the first question opens what this thread asks the system by
    http::system_sockets().backlog_room(reinterpret_cast<const sockaddr*>(&anywhere));
    descriptors_ = open_descriptors();
  }
  void TearDown() override { EXPECT_EQ(open_descriptors(), descriptors_); }

  static void expect_at_rest(ProxyWorld& world) {
    EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; }));
    EXPECT_TRUE(world.is_at_rest());
  }

  /// Plays each story as it is, which counts its `calls`, then once for each of them with that one
  /// failed by `fault`.
  template <class Stories, class Play>
  static void fail_each(int FaultySockets::*calls, int FaultySockets::*fault,
                        const Stories& stories, Play play) {
    for (const auto& story : stories) {
      SCOPED_TRACE(story.what);
      int of_all = 0;
      {
        ProxyWorld world;
        play(world, story);
        of_all = world.sockets.*calls;
      }
      ASSERT_GT(of_all, 0);
      for (int n = 0; n < of_all; ++n) {
        SCOPED_TRACE(n);
        ProxyWorld world;
        world.sockets.*fault = n;
        play(world, story);
        expect_at_rest(world);
      }
    }
  }

 private:
  std::ptrdiff_t descriptors_ = 0;
};

}  // namespace bellows::proxy
