#include "activator/core/certificate_expiry.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace bellows::activator {
namespace {

using std::chrono::days;
using std::chrono::hours;

TEST(CertificateExpiry, IsSaidAtThirtySevenAndOneDaysOnceEach) {
  std::optional<days> said;
  std::vector<std::pair<int, int>> diary;  // days left, notice
  for (int left = 40 * 24; left > -48; --left) {
    const auto notice = expiry_notice(hours(left), said);
    if (!notice) continue;
    said = notice;
    diary.emplace_back(left / 24, static_cast<int>(notice->count()));
  }
  EXPECT_EQ(diary, (std::vector<std::pair<int, int>>{{30, 30}, {7, 7}, {1, 1}}));
}

TEST(CertificateExpiry, AtAFirstLookOnlyTheLeastIsSaid) {
  EXPECT_EQ(expiry_notice(hours(5), std::nullopt), days(1));
  EXPECT_EQ(expiry_notice(-hours(5), std::nullopt), days(1));
  EXPECT_EQ(expiry_notice(hours(24 * 6), std::nullopt), days(7));
  EXPECT_EQ(expiry_notice(hours(24 * 31), std::nullopt), std::nullopt);
}

}  // namespace
}  // namespace bellows::activator
