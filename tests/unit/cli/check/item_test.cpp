#include "cli/check/item.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<CheckItem> kItems = {passed("API server", "answers"),
                                       failed("crd", "is missing", "apply it"),
                                       unknown("revisions", "none", "")};

TEST(CheckLines, AreOneForEachItemAndOneForEachHint) {
  EXPECT_THAT(check_lines(kItems, false),
              ElementsAre("ok       API server  answers",         //
                          "failed   crd         is missing",      //
                          "                     hint: apply it",  //
                          "unknown  revisions   none"));
}

TEST(CheckLines, OfManyObjectsWithTheSameFindingAreOne) {
  std::vector<CheckItem> items = {passed("crd", "is installed")};
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    items.push_back(failed("revision shop/" + name, "QueueProxyMissing", "bellows inject"));
  }
  items.push_back(failed("deployment shop/x", "QueueProxyMissing", "bellows inject"));
  EXPECT_THAT(
      check_lines(items, false),
      ElementsAre("ok       crd                is installed",
                  "failed   revision shop/a    QueueProxyMissing (as well: shop/b, shop/c, shop/d "
                  "and 1 more)",
                  "                            hint: bellows inject",
                  "failed   deployment shop/x  QueueProxyMissing",
                  "                            hint: bellows inject"));
  items.resize(4);
  EXPECT_EQ(check_lines(items, false).size(), 1U + 3 * 2) << "three are told one by one";
  EXPECT_THAT(check_json(items), HasSubstr("revision shop/c"));
}

TEST(CheckLines, AreColouredOnlyWhereAskedFor) {
  EXPECT_EQ(check_lines(kItems, true)[1], "\x1b[31mfailed   \x1b[0mcrd         is missing");
}

TEST(CheckJson, HasTheResultOfTheWholeAndLeavesOutEmptyHints) {
  EXPECT_EQ(check_json(kItems),
            R"({"version":1,"result":"failed","items":[)"
            R"({"name":"API server","result":"ok","text":"answers"},)"
            R"({"name":"crd","result":"failed","text":"is missing","hint":"apply it"},)"
            R"({"name":"revisions","result":"unknown","text":"none"}]})"
            "\n");
}

TEST(CheckResult, IsAFailureOnlyIfAnItemFailed) {
  EXPECT_TRUE(has_failed(kItems));
  EXPECT_FALSE(has_failed({kItems[0], kItems[2]}));
}

}  // namespace
}  // namespace bellows::cli
