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

/// Pages of a block that have memory behind them.
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
    blocks.push_back(pool.take(BufferPool::kHead));
    blocks.back().data()[0] = 'x';
  }
  return blocks;
}

TEST(BufferPool, GivesTheSmallestKindOfBlockThatIsLargeEnough) {
  BufferPool pool;
  EXPECT_EQ(pool.take(1).size(), BufferPool::kHead);
  EXPECT_EQ(pool.take(BufferPool::kHead).size(), BufferPool::kHead);
  EXPECT_EQ(pool.take(BufferPool::kHead + 1).size(), BufferPool::kBody);
  EXPECT_EQ(pool.take(BufferPool::kBody + 1).size(), BufferPool::kBody + 1);
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

TEST(BufferPool, WhatWasGivenBackLastIsTakenFirst) {
  BufferPool pool;
  std::vector<Block> blocks = borrow(pool, 3);
  char* const last = blocks[1].data();
  blocks[0].give_back();
  blocks[1].give_back();
  EXPECT_EQ(pool.take(1).data(), last);
}

TEST(BufferPool, APageThatIsNotWrittenCostsNoMemory) {
  BufferPool pool;
  const std::vector<Block> blocks = borrow(pool, 200);
  EXPECT_EQ(resident_pages(blocks.back()), 1);
}

TEST(BufferPool, AfterACrowdOnlyAFewKeepTheirMemory) {
  BufferPool pool;
  std::vector<Block> blocks = borrow(pool, 9000);
  EXPECT_EQ(pool.borrowed(), 9000U);
  blocks.clear();
  EXPECT_EQ(pool.borrowed(), 0U);
  EXPECT_EQ(pool.warm(), BufferPool::kKeptHeads);
  // The crowd comes again: first to what is warm, then to what has lost its memory.
  blocks.reserve(9000);
  for (int i = 0; i < 9000; ++i) blocks.push_back(pool.take(1));
  EXPECT_EQ(resident_pages(blocks.front()), 1);
  EXPECT_EQ(resident_pages(blocks.back()), 0);
}

TEST(BufferPool, ThoseThatComeAndGoKeepTheirMemory) {
  BufferPool pool;
  const std::vector<Block> held = borrow(pool, 500);
  borrow(pool, 300).clear();
  EXPECT_EQ(pool.warm(), 300U);
}

}  // namespace
}  // namespace bellows::http
