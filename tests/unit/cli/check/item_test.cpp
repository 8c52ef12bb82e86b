#include "cli/check/item.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using testing::ElementsAre;

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
