#include "proxy/core/span_batch.hpp"

#include <gtest/gtest.h>

namespace bellows::proxy {
namespace {

TEST(SpanBatch, IsTakenAsOneText) {
  SpanBatch batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.add("{1}"));
  EXPECT_TRUE(batch.add("{2}"));
  const SpansTaken taken = batch.take();
  EXPECT_EQ(taken.text, "{1},{2}");
  EXPECT_EQ(taken.count, 2U);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.take().count, 0U);
}

TEST(SpanBatch, HasEnoughAt512AndDropsBeyond2048) {
  SpanBatch batch;
  for (std::size_t i = 1; i <= SpanBatch::kMaxSpans; ++i) {
    EXPECT_TRUE(batch.add("{}"));
    EXPECT_EQ(batch.has_enough(), i >= 512);
  }
  EXPECT_FALSE(batch.add("{}"));
  EXPECT_FALSE(batch.add("{}"));
  EXPECT_EQ(batch.dropped(), 2U);
  EXPECT_EQ(batch.take().count, 2048U);
  EXPECT_TRUE(batch.add("{}"));
}

TEST(SpanBatch, IsBoundedInBytes) {
  SpanBatch batch;
  const std::string large(SpanBatch::kMaxBytes / 2, 'x');
  EXPECT_TRUE(batch.add(large));
  EXPECT_FALSE(batch.add(large));
  EXPECT_TRUE(batch.add("{}"));
  EXPECT_EQ(batch.dropped(), 1U);
  EXPECT_LE(batch.take().text.size(), SpanBatch::kMaxBytes);
}

}  // namespace
}  // namespace bellows::proxy
