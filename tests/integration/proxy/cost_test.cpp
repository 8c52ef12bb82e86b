// What a request must not cost. Times are measured in bench/, never here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "base/frame_pool.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace {

std::size_t allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* const memory =
      std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Counts every allocation of this program.
void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bellows::proxy {
namespace {

using test::TestPeer;

/// Allocations of the proxy alone during `rounds` requests. Both sizes are those that arrive.
std::size_t cost_of(ProxyWorld& world, TestPeer& caller, TestPeer& app, const std::string& request,
                    std::size_t passed_on, const std::string& answer, std::size_t passed_back,
                    int rounds) {
  std::size_t spent = 0;
  const auto hears = [&](TestPeer& peer, std::size_t bytes) {
    for (int turns = 0; peer.received().size() < bytes && turns < 1'000'000; ++turns) {
      const std::size_t before = allocations;
      world.io.poll();
      spent += allocations - before;
      peer.listen();
    }
    EXPECT_EQ(peer.take_received().size(), bytes);
  };
  for (int i = 0; i < rounds; ++i) {
    EXPECT_TRUE(caller.say(request));
    hears(app, passed_on);
    EXPECT_TRUE(app.say(answer));
    hears(caller, passed_back);
  }
  return spent;
}

/// Sanitizers see no pool.
bool has_pool() {
  FramePool::deallocate(FramePool::allocate(64), 64);
  const std::size_t before = allocations;
  FramePool::deallocate(FramePool::allocate(64), 64);
  return allocations == before;
}

TEST(Cost, OfAWarmRequestIsNoAllocation) {
  ProxyWorld world;
  world.server.set_observer(nullptr);
  world.handler.options.downstream = Peer::kOutside;  // with Forwarded and the like
  world.handler.options.limits = {.total = std::chrono::seconds(300),
                                  .response_start = std::chrono::seconds(300),
                                  .idle = std::chrono::seconds(60)};
  const std::string request = "GET /a HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n";
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x');
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(request));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.until([&] {
    app.listen();
    return app.received().ends_with("\r\n\r\n");
  }));
  ASSERT_TRUE(app.say(answer));
  ASSERT_TRUE(world.hears(caller, answer));
  app.listen();
  const std::size_t passed_on = app.take_received().size();
  const std::size_t passed_back = caller.take_received().size();
  EXPECT_GT(passed_back, answer.size()) << "with a Date";
  cost_of(world, caller, app, request, passed_on, answer, passed_back, 20);
  if (!has_pool()) GTEST_SKIP() << "a sanitizer has switched the pool of frames off";
  // The reactor's tick follows the system's clock and may happen meanwhile, with an allocation or
  // two.
  EXPECT_LT(cost_of(world, caller, app, request, passed_on, answer, passed_back, 200), 20U);
}

TEST(Cost, OfAnIdleConnectionIsNoBuffer) {
  ProxyWorld world;
  std::vector<TestPeer> callers;
  for (int i = 0; i < 100; ++i) callers.push_back(world.caller());
  ASSERT_TRUE(world.until([&] { return world.server.counters().open_connections == 100; }));
  EXPECT_EQ(world.reactor.buffers().borrowed(), 0U);
}

}  // namespace
}  // namespace bellows::proxy
