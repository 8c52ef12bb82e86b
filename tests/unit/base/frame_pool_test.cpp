#include "base/frame_pool.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace bellows {
namespace {

constexpr std::size_t kSize = 1000;
constexpr std::size_t kBytes = 1000;  // 16 n + 8

/// So many at once, freed again.
void use(int count, std::size_t size = kSize) {
  std::vector<void*> frames;
  for (int i = 0; i < count; ++i) frames.push_back(FramePool::allocate(size));
  for (void* frame : frames) FramePool::deallocate(frame, size);
}

/// In pieces of ten.
std::size_t trim() {
  std::size_t freed = 0;
  while (const std::size_t bytes = FramePool::trim(10)) freed += bytes;
  return freed;
}

/// Sanitizers see no pool.
bool has_pool() {
  void* const frame = FramePool::allocate(kSize);
  FramePool::deallocate(frame, kSize);
  void* const again = FramePool::allocate(kSize);
  FramePool::deallocate(again, kSize);
  return frame == again;
}

class FramePoolTrim : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_pool()) GTEST_SKIP() << "a sanitizer has switched the pool off";
    trim();
    trim();
  }
};

TEST_F(FramePoolTrim, FreesWhatWasNotUsedSinceTheOneBefore) {
  use(100);
  EXPECT_EQ(trim(), 0U) << "it was used since the one before";
  use(30);
  EXPECT_EQ(trim(), 70 * kBytes);
  EXPECT_EQ(trim(), 30 * kBytes);
  EXPECT_EQ(trim(), 0U);
}

TEST_F(FramePoolTrim, FreesOnlySoManyAtOnce) {
  use(25);
  trim();
  EXPECT_EQ(FramePool::trim(10), 10 * kBytes);
  EXPECT_EQ(FramePool::trim(10), 10 * kBytes);
  EXPECT_EQ(FramePool::trim(10), 5 * kBytes);
  EXPECT_EQ(FramePool::trim(10), 0U);
}

TEST_F(FramePoolTrim, KeepsWhatIsInUse) {
  void* const frame = FramePool::allocate(kSize);
  trim();
  trim();
  static_cast<char*>(frame)[kSize - 1] = 'x';
  FramePool::deallocate(frame, kSize);
  EXPECT_EQ(FramePool::allocate(kSize), frame);
  FramePool::deallocate(frame, kSize);
}

TEST_F(FramePoolTrim, UsesAgedPiecesBeforeItTakesNewOnes) {
  void* const frame = FramePool::allocate(kSize);
  FramePool::deallocate(frame, kSize);
  trim();
  EXPECT_EQ(FramePool::allocate(kSize), frame);
  FramePool::deallocate(frame, kSize);
}

TEST_F(FramePoolTrim, KnowsEverySize) {
  for (std::size_t size = 1; size <= 5000; size += 7) use(1, size);
  trim();
  EXPECT_GT(trim(), 500'000U);
  for (std::size_t size = 1; size <= 5000; size += 7) use(1, size);
}

}  // namespace
}  // namespace bellows
