#include "cli/check/activators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(ActivatorCheck, NamesEachRevisionWhosePodsAreNotReached) {
  const auto items = activator_items("activator a-1",
                                     "# TYPE bellows_activator_unreachable_replicas gauge\n"
                                     "bellows_activator_unreachable_replicas{namespace=\"shop\","
                                     "revision=\"web\",service=\"web\"} 2\n"
                                     "bellows_activator_unreachable_replicas{namespace=\"shop\","
                                     "revision=\"api\",service=\"api\"} 0\n"
                                     "bellows_activator_revision_ports{state=\"failed\"} 0\n");
  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].result, CheckItem::Result::kFailed);
  EXPECT_EQ(items[0].name, "activator a-1");
  EXPECT_EQ(items[0].text, "it reaches no ready pod of revision shop/web");
  EXPECT_THAT(items[0].hint, HasSubstr("8013"));
}

TEST(ActivatorCheck, TellsOfPortsThatCannotBeOpened) {
  const auto items = activator_items("activator a-1",
                                     "bellows_activator_revision_ports{state=\"open\"} 4\n"
                                     "bellows_activator_revision_ports{state=\"failed\"} 1\n");
  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].result, CheckItem::Result::kFailed);
  EXPECT_THAT(items[0].text, HasSubstr("ports"));
}

TEST(ActivatorCheck, NamesTheRevisionWhoseWaitingPageIsMissing) {
  const auto items = activator_items(
      "activator a-1",
      "bellows_activator_missing_pages{namespace=\"shop\",revision=\"web\",service=\"web\"} 1\n"
      "bellows_activator_missing_pages{namespace=\"shop\",revision=\"api\",service=\"api\"} 0\n");
  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].result, CheckItem::Result::kFailed);
  EXPECT_THAT(items[0].text, HasSubstr("waiting-page of revision shop/web"));
}

TEST(ActivatorCheck, IsPassedWhereNothingIsWrong) {
  const auto items =
      activator_items("activator a-1", "bellows_activator_revision_ports{state=\"open\"} 4\n");
  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].result, CheckItem::Result::kOk);
}

}  // namespace
}  // namespace bellows::cli
