#include "cli/check/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/timestamp_text.hpp"
#include "base/yaml/document_reader.hpp"
#include "cluster/kubernetes/core/crd.hpp"

namespace bellows::cli {
namespace {

using testing::HasSubstr;
using Kind = CheckItem::Result;

Document document(std::string_view text) {
  return yaml::parse_document("crd.yaml", text).value();
}

constexpr std::string_view kOurs = R"(spec:
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    schema:
      minimum: 0.01
      maximum: 1000000
      description: One thing.
)";

std::string installed(std::string_view spec, std::string_view established = "True") {
  return R"({"metadata":{"name":"revisions.bellows.dev"},"spec":)" + std::string(spec) +
         R"(,"status":{"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":")" +
         std::string(established) + R"(","reason":"R","message":"m"}]}})";
}

TEST(CustomResource, IsCurrentIfTheServerHasAllOfOurs) {
  const auto item = custom_resource_item(
      installed(R"({"group":"bellows.dev","scope":"Namespaced","versions":[{"name":"v1alpha1",)"
                R"("served":true,"storage":true,"schema":{"minimum":1e-2,"maximum":1e6,)"
                R"("description":"Other words."}}]})"),
      document(kOurs));
  EXPECT_EQ(item.result, Kind::kOk) << item.text;
}

TEST(CustomResource, OfAnotherVersionIsNamedByTheFirstDifference) {
  const auto differs = [](std::string_view schema) {
    return custom_resource_item(
        installed(
            R"({"scope":"Namespaced","versions":[{"name":"v1alpha1","served":true,"schema":)" +
            std::string(schema) + "}]}"),
        document(kOurs));
  };
  const auto bound = differs(R"({"minimum":0.02,"maximum":1000000})");
  EXPECT_EQ(bound.result, Kind::kFailed);
  EXPECT_THAT(bound.text, HasSubstr("spec.versions[0].schema.minimum differs"));
  EXPECT_THAT(bound.hint, HasSubstr("kubectl apply -f deploy/crd.yaml"));
  EXPECT_THAT(differs(R"({"minimum":0.01})").text, HasSubstr("schema.maximum differs"));
  EXPECT_THAT(differs("7").text, HasSubstr("versions[0].schema differs"));
}

TEST(CustomResource, ThatIsNotServedIsAFailureWithTheServersReason) {
  const auto item = custom_resource_item(installed("{}", "False"), document(kOurs));
  EXPECT_EQ(item.result, Kind::kFailed);
  EXPECT_THAT(item.text, HasSubstr("not served; R: m"));
}

TEST(CustomResource, OfThisProgramIsReadable) {
  EXPECT_EQ(first_difference(document(cluster::crd_yaml()).root, "{}"), "apiVersion");
}

TEST(CustomResource, ThatCannotBeReadIsUnknown) {
  EXPECT_EQ(custom_resource_item("<html>", document(kOurs)).result, Kind::kUnknown);
}

TEST(ServerVersion, BeforeOneTwentyIsTooOld) {
  const auto item = [](int minor) {
    return version_item({.major = 1, .minor = minor, .git_version = "v1." + std::to_string(minor)},
                        "https://a:6443");
  };
  EXPECT_EQ(item(20).result, Kind::kOk);
  EXPECT_EQ(item(36).result, Kind::kOk);
  EXPECT_EQ(item(19).result, Kind::kFailed);
  EXPECT_THAT(item(19).text, HasSubstr("https://a:6443 answers, Kubernetes v1.19"));
}

TEST(Revisions, AreCountedIfReadyAndNamedWithTheReasonIfNot) {
  const auto page = read_revisions(R"({"metadata":{"continue":"next"},"items":[
    {"metadata":{"namespace":"shop","name":"web"},"status":{"conditions":[{"type":"Ready","status":"True"}]}},
    {"metadata":{"namespace":"shop","name":"api"},"status":{"conditions":[
      {"type":"Active","status":"True"},
      {"type":"Ready","status":"False","reason":"TargetNotFound","message":"there is no Deployment api"}]}},
    {"metadata":{"namespace":"shop","name":"new"}}]})");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->ready, 1U);
  EXPECT_EQ(page->all, 3U);
  EXPECT_EQ(page->continue_token, "next");
  ASSERT_EQ(page->troubled.size(), 2U);
  EXPECT_EQ(page->troubled[0].name, "revision shop/api");
  EXPECT_EQ(page->troubled[0].text, "TargetNotFound: there is no Deployment api");
  EXPECT_EQ(page->troubled[1].name, "revision shop/new");
  EXPECT_THAT(page->troubled[1].text, HasSubstr("reported nothing"));
}

TEST(Revisions, ThatAreNotRoutedAreNamedWithTheLineToChange) {
  const auto page = read_revisions(R"({"items":[
    {"metadata":{"namespace":"shop","name":"web"},"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"Routed","status":"False","reason":"QueueProxyBypassed","message":"change spec.ports[0].targetPort"}]}},
    {"metadata":{"namespace":"shop","name":"api"},"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"Routed","status":"False","reason":"NoActivators","message":"no activator is ready"}]}},
    {"metadata":{"namespace":"shop","name":"old"},"status":{"conditions":[
      {"type":"Ready","status":"False","reason":"Retired","message":"it is retired"},
      {"type":"Routed","status":"False","reason":"Retired","message":"it is out of service"}]}},
    {"metadata":{"namespace":"shop","name":"new"},"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"Routed","status":"Unknown","reason":"ActivatorsJoining","message":"they join"}]}}]})");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->ready, 1U) << "each is counted once";
  ASSERT_EQ(page->troubled.size(), 3U);
  EXPECT_EQ(page->troubled[0].name, "revision shop/web");
  EXPECT_EQ(page->troubled[0].text, "QueueProxyBypassed: change spec.ports[0].targetPort");
  EXPECT_THAT(page->troubled[1].hint, HasSubstr("deploy/activator.yaml"));
  EXPECT_EQ(page->troubled[2].name, "revision shop/old") << "once";
}

TEST(Revisions, WithTwoFindingsCountOnce) {
  const auto page = read_revisions(R"({"items":[
    {"metadata":{"namespace":"shop","name":"web"},"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"Routed","status":"False","reason":"QueueProxyBypassed","message":"change spec.ports[0].targetPort"},
      {"type":"SettingsInEffect","status":"False","reason":"NotEnforced","message":"queue-depth: not in the pods"}]}}]})");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->troubled.size(), 2U);
  EXPECT_EQ(page->ready, 0U);
  EXPECT_EQ(page->all, 1U);
}

TEST(Revisions, WhoseSettingsHaveNoEffectAreNamedWithTheSetting) {
  const auto page = read_revisions(R"({"items":[
    {"metadata":{"namespace":"shop","name":"web"},"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"SettingsInEffect","status":"False","reason":"NotEnforced","message":"cpu-utilization: not measured"}]}},
    {"metadata":{"namespace":"shop","name":"api"},"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"SettingsInEffect","status":"True","reason":"SettingsInEffect","message":"all"}]}}]})");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->ready, 1U);
  ASSERT_EQ(page->troubled.size(), 1U);
  EXPECT_EQ(page->troubled[0].text, "NotEnforced: cpu-utilization: not measured");
  EXPECT_THAT(page->troubled[0].hint, HasSubstr("bellows inject"));
}

TEST(Revisions, WithInvalidSettingsAreNamedOnce) {
  const auto page = read_revisions(R"({"items":[
    {"metadata":{"namespace":"shop","name":"web"},"status":{"conditions":[
      {"type":"Ready","status":"False","reason":"ConfigInvalid","message":"max-scale: abc"},
      {"type":"SettingsInEffect","status":"False","reason":"ConfigInvalid","message":"none is"}]}}]})");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->ready, 0U);
  ASSERT_EQ(page->troubled.size(), 1U);
  EXPECT_EQ(page->troubled[0].text, "ConfigInvalid: max-scale: abc");
}

TEST(Labels, WithAnotherValueThanTrueAreNamedWithIt) {
  const auto page = read_labels(R"({"metadata":{"continue":"next"},"items":[
    {"metadata":{"namespace":"shop","name":"web","labels":{"bellows.dev/autoscale":"yes"}}},
    {"metadata":{"namespace":"shop","name":"api","labels":{"bellows.dev/autoscale":"true"}}},
    {"metadata":{"namespace":"shop","name":"off","labels":{"bellows.dev/autoscale":"false"}}}]})");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->continue_token, "next");
  ASSERT_EQ(page->wrong.size(), 1U);
  EXPECT_EQ(page->wrong[0].name, "deployment shop/web");
  EXPECT_EQ(page->wrong[0].text, "label bellows.dev/autoscale \"yes\": want true, or false");
}

TEST(Revisions, ThatAreNoListAreAnError) {
  for (const char* text : {"", "[]", "{}", R"({"items":7})"}) {
    EXPECT_FALSE(read_revisions(text).has_value()) << text;
  }
}

TEST(FlagOfADeployment, IsInTheArgumentsOfItsContainers) {
  const auto lease = [](std::string_view containers) {
    return flag_of(
        R"({"spec":{"template":{"spec":{"containers":)" + std::string(containers) + "}}}}",
        "--lease");
  };
  EXPECT_EQ(lease(R"([{"args":["--listen=0.0.0.0:8080","--lease=sys/ours"]}])"), "sys/ours");
  EXPECT_EQ(lease(R"([{"name":"mesh"},{"args":["--lease=sys/ours"]}])"), "sys/ours");
  EXPECT_EQ(lease(R"([{"args":["--lease","sys/ours","--stats-auth=on"]}])"), "sys/ours");
  EXPECT_EQ(lease(R"([{"args":["--log-format=json","--leases=a/b","--lease"]}])"), "");
  EXPECT_FALSE(lease("{}").has_value());
  EXPECT_FALSE(flag_of("no JSON", "--lease").has_value());
}

struct LeaseCase {
  std::string spec;
  Duration now;  // after 2026-11-30T10:00:00Z
  Kind want;
  std::string says;
};

TEST(LeaseItem, SaysWhoHoldsItAndWhenItWasRenewed) {
  const auto ten = parse_timestamp("2026-11-30T10:00:00Z").value();
  const std::string held =
      R"({"holderIdentity":"web-1_10.1.2.3:8080_5f","leaseDurationSeconds":15,)"
      R"("renewTime":"2026-11-30T10:00:00.000000Z"})";
  const std::vector<LeaseCase> cases = {
      {held, std::chrono::seconds(4), Kind::kOk, "web-1 holds sys/ours, renewed 4s ago"},
      {held, -std::chrono::hours(1), Kind::kOk, "web-1 holds sys/ours, renewed 0s ago"},
      {held, std::chrono::seconds(31), Kind::kNote, "web-1 holds sys/ours, renewed 31s ago"},
      {"{}", {}, Kind::kFailed, "nobody holds sys/ours, so nobody orders replicas"},
      {R"({"holderIdentity":""})", {}, Kind::kFailed, "nobody holds sys/ours"},
      {R"({"holderIdentity":7})", {}, Kind::kUnknown, "holderIdentity"}};
  for (const LeaseCase& each : cases) {
    const auto item =
        lease_item(R"({"metadata":{"namespace":"sys","name":"ours"},"spec":)" + each.spec + "}",
                   ten + each.now);
    EXPECT_EQ(item.result, each.want) << each.spec;
    EXPECT_THAT(item.text, HasSubstr(each.says));
  }
}

}  // namespace
}  // namespace bellows::cli
