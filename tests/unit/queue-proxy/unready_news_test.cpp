#include "queue-proxy/core/unready_news.hpp"

#include <gtest/gtest.h>

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1h};

TEST(UnreadyNews, OfAnAppThatStartsIsThereAfterASecondAndOncePerReason) {
  UnreadyNews news(kStart);
  EXPECT_FALSE(news.is_news("refused", kStart + 5ms));
  EXPECT_FALSE(news.is_news("refused", kStart + 999ms));
  EXPECT_TRUE(news.is_news("refused", kStart + 1s));
  EXPECT_FALSE(news.is_news("refused", kStart + 1005ms));
  EXPECT_TRUE(news.is_news("answered 503", kStart + 2s));
  EXPECT_FALSE(news.is_news("refused", kStart + 3s));
  EXPECT_FALSE(news.is_news("answered 503", kStart + 1h));
}

TEST(UnreadyNews, OfAnAppThatWasLostIsTheNextReason) {
  UnreadyNews news(kStart);
  EXPECT_TRUE(news.is_news("refused", kStart + 1s));
  news.lost("reset", kStart + 100s);
  EXPECT_FALSE(news.is_news("refused", kStart + 100s + 5ms));
  EXPECT_FALSE(news.is_news("reset", kStart + 101s));
  EXPECT_TRUE(news.is_news("refused", kStart + 101s));
}

TEST(UnreadyNews, EndsAfterEightReasons) {
  UnreadyNews news(kStart);
  int told = 0;
  for (int probe = 0; probe < 100; ++probe) {
    if (news.is_news("try " + std::to_string(probe), kStart + 2s)) ++told;
  }
  EXPECT_EQ(told, 8);
}

}  // namespace
}  // namespace bellows::queue_proxy
