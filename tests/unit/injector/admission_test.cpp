// Pods at their admission: the webhook does what `bellows inject` does to the same pod.
#include "injector/core/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "injector/core/names.hpp"
#include "injector/core/read_json.hpp"
#include "injector/yaml/read.hpp"
#include "tests/support/fake_api_patch.hpp"
#include "tests/unit/injector/injecting.hpp"
#include "tests/unit/injector/shapes.hpp"

namespace bellows::injector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

namespace json = boost::json;

/// A question of an API server about a pod.
std::string review_of(const std::string& pod, const std::string& uid = "u-1") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":")" +
         uid + R"(","kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE",)" +
         R"("namespace":"default","dryRun":false,"object":)" + pod + "}}";
}

Admission admitted(const std::string& pod, const InjectOptions& options = options_of_tests()) {
  const auto request = read_review(review_of(pod));
  if (!request) {
    ADD_FAILURE() << to_string(request.error());
    return {};
  }
  return admit(*request, options);
}

/// The pod as the API server makes it.
json::value made(const std::string& pod, const Admission& admission) {
  json::value value = json::parse(pod);
  if (admission.patch.empty()) return value;
  const auto applied = test::apply_json_patch(value, admission.patch);
  EXPECT_TRUE(applied.has_value()) << to_string(applied.error()) << "\n" << admission.patch;
  return value;
}

std::string pod_with(const std::string& metadata, const std::string& port = "8080") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":)" + metadata +
         R"(,"spec":{"containers":[{"name":"app","ports":[{"containerPort":)" + port + "}]}]}}";
}

struct TablePod {
  std::string title;
  std::string pod;
  /// Of a pod with an owner or a generated name; null: a queue-proxy is not for such an owner.
  std::optional<json::value> workload;
};

std::vector<TablePod> table() {
  std::vector<TablePod> pods;
  std::ifstream lines(BELLOWS_PODS);
  for (std::string line; std::getline(lines, line);) {
    const json::value row = json::parse(line);
    const auto* const workload = row.as_object().if_contains("workload");
    pods.push_back({json::value_to<std::string>(row.at("title")), json::serialize(row.at("pod")),
                    workload == nullptr ? std::nullopt : std::optional(*workload)});
  }
  return pods;
}

/// The pod as a manifest has it, without an owner, with the name of its workload.
json::value without_owner(json::value pod, const TablePod& row) {
  if (!row.workload) return pod;
  json::object& metadata = pod.at("metadata").as_object();
  metadata.erase("ownerReferences");
  metadata.erase("generateName");
  metadata["name"] = *row.workload;
  return pod;
}

/// What inject writes for uninject, which nobody runs on a pod that was injected at admission.
json::value without_record(json::value pod) {
  json::object& metadata = pod.at("metadata").as_object();
  if (metadata.contains("annotations")) {
    metadata.at("annotations").as_object().erase(kRecordAnnotation);
    if (metadata.at("annotations").as_object().empty()) metadata.erase("annotations");
  }
  return pod;
}

TEST(Admission, DoesWhatInjectDoesToTheSamePod) {
  const std::vector<TablePod> pods = table();
  ASSERT_GE(pods.size(), 60U);
  int injected_pods = 0;
  for (const bool is_native : {false, true}) {
    InjectOptions options = options_of_tests();
    options.is_native = is_native;
    for (const TablePod& each : pods) {
      SCOPED_TRACE(each.title);
      const Admission admission = admitted(each.pod, options);
      if (each.workload && each.workload->is_null()) {
        EXPECT_EQ(admission.patch, "");
        continue;
      }
      const std::string manifest = json::serialize(without_owner(json::parse(each.pod), each));
      const Output output = injected(manifest, options);
      EXPECT_EQ(without_owner(made(each.pod, admission), each),
                without_record(json::parse(output.text)));
      EXPECT_EQ(admission.outcome, output.lines.front().outcome);
      EXPECT_EQ(admission.what, output.lines.front().what);
      injected_pods += admission.patch.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(injected_pods, 80);
}

TEST(Admission, ChangesNothingTheSecondTime) {
  for (const TablePod& each : table()) {
    SCOPED_TRACE(each.title);
    const std::string once = json::serialize(made(each.pod, admitted(each.pod)));
    EXPECT_EQ(admitted(once).patch, "");
  }
}

TEST(Admission, IsStableAfterAnotherWebhookHasAddedASidecar) {
  const std::string pod = pod_with(R"({"name":"shop"})");
  json::value value = made(pod, admitted(pod));
  value.at("spec").at("containers").as_array().push_back({{"name", "mesh"}, {"image", "mesh:1"}});
  const std::string more = json::serialize(value);
  const json::value again = made(more, admitted(more));
  EXPECT_EQ(again.at("spec").at("containers").as_array().size(), 3U);
  EXPECT_EQ(admitted(json::serialize(again)).patch, "");
}

TEST(Admission, TakesTheNameOfTheWorkloadFromTheOwner) {
  struct Case {
    std::string metadata;
    std::string name;
  };
  const auto owned = [](const std::string& kind, const std::string& name,
                        const std::string& labels) {
    return R"({"generateName":"x-","labels":{)" + labels +
           R"(},"ownerReferences":[{"kind":"Other","name":"o"},{"kind":")" + kind +
           R"(","name":")" + name + R"(","controller":true}]})";
  };
  const std::vector<Case> cases = {
      {owned("ReplicaSet", "web-5d8f9", R"("pod-template-hash":"5d8f9")"), "web"},
      {owned("ReplicaSet", "web-77", R"("rollouts-pod-template-hash":"77")"), "web"},
      {owned("ReplicaSet", "web-5d8f9", ""), "web-5d8f9"},
      {owned("StatefulSet", "db-api", ""), "db-api"},
      {R"({"generateName":"web-","labels":{"a":"b"}})", "web"},
      {R"({"name":"web"})", "web"},
  };
  for (const Case& each : cases) {
    const std::string pod = pod_with(each.metadata);
    const Admission admission = admitted(pod);
    EXPECT_EQ(admission.outcome, Outcome::kInjected) << admission.what;
    EXPECT_EQ(admission.workload, each.name);
    EXPECT_EQ(made(pod, admission).at("metadata").at("labels").at("bellows.dev/revision"),
              json::value(each.name));
  }
}

TEST(Admission, LeavesOtherPodsUnchangedAndSaysWhy) {
  const auto owned = [](const std::string& kind) {
    return pod_with(R"({"name":"x","ownerReferences":[{"kind":")" + kind + R"(","name":"y"}]})");
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {owned("DaemonSet"), "one pod on each node"},
      {owned("Job"), "its pods end by themselves"},
      {owned("Node"), "a static pod"},
      {pod_with(R"({"name":"x"})", "5432"), "does not speak HTTP (its number)"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}})", "its pods have no spec"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":[]})", "no spec"},
      {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"x"}})", "it is no pod"},
      {"{}", "it is no pod"},
  };
  for (const auto& [pod, why] : cases) {
    const Admission admission = admitted(pod);
    EXPECT_EQ(admission.patch, "") << pod;
    EXPECT_THAT(admission.what, HasSubstr(why));
    EXPECT_THAT(admission.warnings, ElementsAre("bellows: not injected: " + admission.what));
  }
}

TEST(Admission, WarnsOfNothingWhereAUserWantsNone) {
  const Admission admission =
      admitted(pod_with(R"({"name":"x","annotations":{"inject.bellows.dev/inject":"disabled"}})"));
  EXPECT_EQ(admission.outcome, Outcome::kSkipped);
  EXPECT_THAT(admission.warnings, IsEmpty());
}

TEST(Admission, LeavesAPodWithAQueueProxyAsItIs) {
  const Admission admission = admitted(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"bellows.dev/revision":"x"}},)"
      R"("spec":{"containers":[{"name":"app"}],"initContainers":[{"name":"queue-proxy"}]}})");
  EXPECT_EQ(admission.patch, "");
  EXPECT_THAT(admission.warnings, IsEmpty());
  EXPECT_EQ(admission.what, "it has a queue-proxy already");
}

TEST(AdmissionReview, IsAnsweredWithItsUidAndAPatch) {
  const Admission admission = admitted(pod_with(R"({"name":"shop"})"));
  const json::value answer = json::parse(review_text("u-1", admission));
  EXPECT_EQ(answer.at("apiVersion"), json::value("admission.k8s.io/v1"));
  EXPECT_EQ(answer.at("kind"), json::value("AdmissionReview"));
  const json::value& response = answer.at("response");
  EXPECT_EQ(response.at("uid"), json::value("u-1"));
  EXPECT_EQ(response.at("allowed"), json::value(true));
  EXPECT_EQ(response.at("patchType"), json::value("JSONPatch"));
  EXPECT_EQ(from_base64(json::value_to<std::string>(response.at("patch"))), admission.patch);
}

TEST(AdmissionReview, AboutSomethingElseIsAdmittedUnchanged) {
  const std::string pod = pod_with(R"({"name":"shop"})");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"("operation":"CREATE")", R"("operation":"UPDATE")"},
      {R"("kind":"Pod"})", R"("kind":"Service"})"},
      {R"("group":"")", R"("group":"apps")"},
      {R"("dryRun":false)", R"("subResource":"status")"}};
  for (const auto& [from, to] : changes) {
    std::string review = review_of(pod);
    review.replace(review.find(from), from.size(), to);
    const auto request = read_review(review);
    ASSERT_TRUE(request.has_value()) << to_string(request.error());
    EXPECT_EQ(request->pod, "") << review;
    const json::value answer = json::parse(review_text(request->uid, admit(*request, {})));
    EXPECT_EQ(answer.at("response").at("allowed"), json::value(true));
    EXPECT_FALSE(answer.at("response").as_object().contains("patch"));
  }
}

TEST(AdmissionReview, ThatIsMalformedIsRejectedWithAReason) {
  const std::string whole = review_of(pod_with(R"({"name":"shop"})"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {changed("k8s.io/v1\"", "k8s.io/v1beta1\""), "want admission.k8s.io/v1 AdmissionReview"},
      {changed("AdmissionReview", "ConversionReview"), "want admission.k8s.io/v1"},
      {changed(R"("uid":"u-1",)", ""), "request.uid: missing"},
      {changed(R"("request")", R"("response")"), "request: missing"},
      {changed(R"("object")", R"("oldObject")"), "request.object: missing"},
      {changed(R"("dryRun":false)", R"("uid":"u-2")"), "occurs twice"},
      {"", "no JSON"},
      {"[]", "want a JSON object"},
      {std::string(5000, '['), "JSON"},
      {whole + whole, "more follows"},
  };
  for (const auto& [body, why] : cases) {
    const auto request = read_review(body);
    ASSERT_FALSE(request.has_value()) << body;
    EXPECT_EQ(request.error().kind(), ErrorKind::kMalformed);
    EXPECT_THAT(to_string(request.error()), HasSubstr(why));
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_review(whole.substr(0, size)).has_value()) << size;
  }
}

/// Compares what changes rely on: kinds, texts, styles and places.
void expect_same(const Node& json, const Node& yaml, const std::string& path) {
  SCOPED_TRACE(path);
  ASSERT_EQ(json.kind, yaml.kind);
  EXPECT_EQ(json.text, yaml.text);
  EXPECT_EQ(json.is_quoted, yaml.is_quoted);
  EXPECT_EQ(json.is_flow, yaml.is_flow);
  if (json.kind != Node::Kind::kNull) {
    EXPECT_EQ(json.begin, yaml.begin);
  }
  ASSERT_EQ(json.items.size(), yaml.items.size());
  ASSERT_EQ(json.entries.size(), yaml.entries.size());
  for (std::size_t i = 0; i < json.items.size(); ++i) {
    expect_same(json.items[i], yaml.items[i], path + "/" + std::to_string(i));
  }
  for (std::size_t i = 0; i < json.entries.size(); ++i) {
    expect_same(json.entries[i].key, yaml.entries[i].key, path);
    expect_same(json.entries[i].value, yaml.entries[i].value,
                path + "/" + json.entries[i].key.text);
  }
}

TEST(ReadJson, MakesTheTreeOfTheReaderOfYaml) {
  std::vector<std::string> texts = {
      "{}\n",
      R"({"a":"x\"y\\z\u00fc\n","b":[],"c":[1,-2.5e3,true,false,null,"null"],"d":{"e":{}}})"
      "\n",
      "  {\n  \"a\" : [ 1 ,\n 2 ] , \"b\" : { } }  \n", kJson};
  for (const TablePod& each : table()) texts.push_back(each.pod + "\n");
  for (const std::string& text : texts) {
    const auto json = read_json(text);
    const auto yaml = read_yaml(text);
    ASSERT_TRUE(json.has_value()) << to_string(json.error());
    ASSERT_TRUE(yaml.has_value()) << to_string(yaml.error());
    expect_same(*json, *yaml, text);
  }
}

}  // namespace
}  // namespace bellows::injector
