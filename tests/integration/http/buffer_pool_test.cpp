#include "http/io/buffer_pool.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <iterator>
#include <set>
#include <vector>

namespace bellows::http {
namespace {

constexpr std::size_t kPage = 4096;

/// Resident pages of a block.
int resident_pages(const Block& block) {
  std::array<unsigned char, BufferPool::kHead / kPage> pages{};
  EXPECT_EQ(::mincore(block.data(), BufferPool::kHead, pages.data()), 0);
  int resident = 0;
  for (const unsigned char page : pages) resident += page & 1;
  return resident;
}

std::vector<Block> borrow(BufferPool& pool, std::size_t count) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(pool.acquire(BufferPool::kHead));
    blocks.back().data()[0] = 'x';
  }
  return blocks;
}

TEST(BufferPool, ReturnsTheSmallestKindOfBlockThatIsLargeEnough) {
  BufferPool pool;
  EXPECT_EQ(pool.acquire(1).size(), BufferPool::kHead);
  EXPECT_EQ(pool.acquire(BufferPool::kHead).size(), BufferPool::kHead);
  EXPECT_EQ(pool.acquire(BufferPool::kHead + 1).size(), BufferPool::kBody);
  EXPECT_EQ(pool.acquire(BufferPool::kBody + 1).size(), BufferPool::kBody + 1);
}

TEST(BufferPool, AnExactBlockIsNoLargerThanIsAskedForUnlessThatIsAHead) {
  BufferPool pool;
  const Block block = pool.acquire_exact(200);
  EXPECT_EQ(block.size(), 200U);
  EXPECT_EQ(pool.borrowed(), 1U);
  EXPECT_EQ(pool.borrowed_heads(), 0U);
  EXPECT_EQ(pool.acquire_exact(BufferPool::kHead - 1).size(), BufferPool::kHead - 1);
  EXPECT_EQ(pool.acquire_exact(BufferPool::kHead).size(), BufferPool::kHead);
  EXPECT_EQ(pool.acquire_exact(BufferPool::kHead + 1).size(), BufferPool::kBody);
}

TEST(BufferPool, BlocksDoNotOverlap) {
  BufferPool pool;
  const std::vector<Block> blocks = borrow(pool, 100);
  std::set<char*> begins;
  for (const Block& block : blocks) begins.insert(block.data());
  ASSERT_EQ(begins.size(), 100U);
  for (auto at = begins.begin(); std::next(at) != begins.end(); ++at) {
    EXPECT_GE(*std::next(at) - *at, static_cast<std::ptrdiff_t>(BufferPool::kHead));
  }
}

TEST(BufferPool, TheBlockReleasedLastIsAcquiredFirst) {
  BufferPool pool;
  std::vector<Block> blocks = borrow(pool, 3);
  char* const last = blocks[1].data();
  blocks[0].release();
  blocks[1].release();
  EXPECT_EQ(pool.acquire(1).data(), last);
}

TEST(BufferPool, APageThatIsNotWrittenCostsNoMemory) {
  BufferPool pool;
  const std::vector<Block> blocks = borrow(pool, 200);
  EXPECT_EQ(resident_pages(blocks.back()), 1);
}

TEST(BufferPool, AfterAPeakOnlyAFewBlocksKeepTheirMemory) {
  BufferPool pool;
  std::vector<Block> blocks = borrow(pool, 9000);
  EXPECT_EQ(pool.borrowed(), 9000U);
  blocks.clear();
  EXPECT_EQ(pool.borrowed(), 0U);
  EXPECT_EQ(pool.warm(), BufferPool::kMaxWarmHeads);
  // The next peak takes the warm blocks first, then those without memory.
  blocks.reserve(9000);
  for (int i = 0; i < 9000; ++i) blocks.push_back(pool.acquire(1));
  EXPECT_EQ(resident_pages(blocks.front()), 1);
  EXPECT_EQ(resident_pages(blocks.back()), 0);
}

TEST(BufferPool, BlocksInSteadyUseKeepTheirMemory) {
  BufferPool pool;
  const std::vector<Block> held = borrow(pool, 500);
  borrow(pool, 300).clear();
  EXPECT_EQ(pool.warm(), 300U);
}

TEST(BufferPool, OnlyWhatWasFreeSinceTheTrimBeforeIsTrimmed) {
  BufferPool pool;
  borrow(pool, 100).clear();
  pool.acquire(BufferPool::kBody).release();
  EXPECT_EQ(pool.trim(), 0U);
  borrow(pool, 30).clear();
  EXPECT_EQ(pool.trim(), 70 * BufferPool::kHead + BufferPool::kBody);
  EXPECT_EQ(pool.warm(), 30U);
  EXPECT_EQ(pool.trim(), 30 * BufferPool::kHead);
  EXPECT_EQ(pool.trim(), 0U);
  const std::vector<Block> blocks = borrow(pool, 100);
  EXPECT_EQ(resident_pages(blocks.back()), 1);
}

}  // namespace
}  // namespace bellows::http
