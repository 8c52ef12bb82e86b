#include "kubernetes/core/selector.hpp"

#include <gtest/gtest.h>

#include "kubernetes/core/scale_target.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

bool matches(const char* selector, StringMap::Entries labels) {
  const auto parsed = Selector::parse(selector);
  EXPECT_TRUE(parsed) << selector;
  return parsed && parsed->matches(StringMap(std::move(labels)));
}

TEST(Selector, EveryOperatorOfTheTextForm) {
  EXPECT_TRUE(matches("app=web", {{"app", "web"}, {"x", "y"}}));
  EXPECT_TRUE(matches("app == web", {{"app", "web"}}));
  EXPECT_FALSE(matches("app=web", {{"app", "db"}}));
  EXPECT_FALSE(matches("app=web", {}));
  EXPECT_TRUE(matches("tier in (a, b)", {{"tier", "b"}}));
  EXPECT_FALSE(matches("tier in (a,b)", {{"tier", "c"}}));
  EXPECT_TRUE(matches("tier notin (a)", {}));
  EXPECT_FALSE(matches("tier!=a", {{"tier", "a"}}));
  EXPECT_TRUE(matches("tier!=a", {}));
  EXPECT_TRUE(matches("ready", {{"ready", ""}}));
  EXPECT_TRUE(matches("!canary", {{"app", "web"}}));
  EXPECT_FALSE(matches("!canary", {{"canary", ""}}));
  EXPECT_TRUE(matches("empty=", {{"empty", ""}}));
  EXPECT_TRUE(matches("in in (in)", {{"in", "in"}}));
  EXPECT_TRUE(matches("app=web,tier in (a,b),!canary", {{"app", "web"}, {"tier", "a"}}));
  EXPECT_TRUE(matches("", {}));
}

TEST(Selector, TextThatIsReadBackIsTheSameSelector) {
  for (const char* text : {"a=1", "a!=1", "a in (1,2)", "a notin (1,2)", "a", "!a",
                           "app.kubernetes.io/name=web,tier=a", "a in (,x)", "a="}) {
    const auto selector = Selector::parse(text);
    ASSERT_TRUE(selector) << text;
    EXPECT_EQ(selector->text(), text);
  }
  EXPECT_EQ(Selector::parse("b=2, a=1")->text(), "a=1,b=2");
}

TEST(Selector, OtherTextIsAnError) {
  for (const char* text : {"=", "a=b c", "a in b", "a in (b", "a,,b", "a,", "!", "a > 1", "a=b)"}) {
    EXPECT_FALSE(Selector::parse(text)) << text;
  }
}

TEST(Selector, TheObjectFormHasTheSameMeaning) {
  const auto target = read_object<ScaleTarget>(
      "{'metadata':{'name':'a'},'spec':{'selector':{'matchLabels':{'app':'web'},'matchExpressions':"
      "[{'key':'tier','operator':'NotIn','values':['b','a']},{'key':'x','operator':"
      "'DoesNotExist'}]}}}");
  ASSERT_TRUE(target) << error_of(target);
  EXPECT_EQ(target->selector.text(), "app=web,tier notin (a,b),!x");
  EXPECT_EQ(error_of(read_object<ScaleTarget>(
                "{'metadata':{'name':'a'},'spec':{'selector':{'matchExpressions':[{'key':'x',"
                "'operator':'Near'}]}}}")),
            "scale target a: spec.selector.matchExpressions[0].operator: \"Near\": want In, NotIn, "
            "Exists or DoesNotExist");
}

}  // namespace
}  // namespace bellows::kubernetes
