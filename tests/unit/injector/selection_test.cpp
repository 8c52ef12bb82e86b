// Which workloads a user means, and the resources that the queue-proxy gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "injector/core/surroundings.hpp"
#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string workload(const std::string& name, const std::string& labels) {
  return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: " + name +
         "\n  labels: {" + labels + "}\nspec:\n  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec:\n      containers:\n      - name: app\n" + kHttpPort;
}

const std::string kThree = workload("shop", "tier: web, team: a") +
                           workload("cart", "tier: web, team: b") + workload("log", "team: a");

InjectOptions only(const std::string& names, const std::string& selector = "") {
  InjectOptions options = options_of_tests();
  options.selection.names = read_names(names);
  options.selection.labels = read_selector(selector).value();
  return options;
}

/// The names of the injected workloads, in order.
std::string names_in(const Output& output) {
  std::string names;
  for (const ReportLine& line : output.lines) {
    if (line.outcome == Outcome::kInjected) names += line.object.substr(11) + " ";
  }
  return names;
}

TEST(Selection, MeansNamesAndLabels) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"", "", "shop cart log "},
      {"shop", "", "shop "},
      {"deployment/cart, log", "", "cart log "},
      {"Deployment/cart", "", "cart "},
      {"", "tier=web", "shop cart "},
      {"", "tier==web,team!=a", "cart "},
      {"", "!tier", "log "},
      {"", "tier", "shop cart "},
      {"log,shop", "tier=web", "shop "},
  };
  for (const auto& [names, selector, expected] : cases) {
    SCOPED_TRACE(names + " | " + selector);
    const Output output = injected(kThree, only(names, selector));
    EXPECT_EQ(names_in(output), expected);
    EXPECT_FALSE(has_refusal(output.lines));
  }
  EXPECT_THAT(injected(kThree, only("shop")).report,
              HasSubstr("deployment/log: skipped: --only and --selector do not mean it"));
}

TEST(Selection, ThatMeansNothingIsAnError) {
  const auto error_of = [](const InjectOptions& options) {
    const auto injection = inject(manifests_of(kThree), options, read_yaml);
    return injection ? "" : to_string(injection.error());
  };
  EXPECT_EQ(error_of(only("shop,web")), "--only web: no workload of the input has this name");
  EXPECT_EQ(error_of(only("", "tier=db")), "--selector: no workload of the input has these labels");
}

TEST(Selection, LeavesAloneWhatAnEarlierInjectGaveTheOthers) {
  const std::string all =
      injected(app_of(kNamedPort) + service_of("  - {port: 80, targetPort: 8080}\n") +
               workload("log", ""))
          .text;
  InjectOptions options = only("log");
  options.image = "bellows/queue-proxy:2";
  const std::string again = injected(all, options).text;
  EXPECT_THAT(again, HasSubstr("image: bellows/queue-proxy:1\n"));
  EXPECT_THAT(again, HasSubstr("image: bellows/queue-proxy:2\n"));
  EXPECT_THAT(again, HasSubstr("targetPort: http"));
  EXPECT_EQ(uninjected(again).text, uninjected(all).text);
}

TEST(Selector, IsReadOrRefused) {
  EXPECT_EQ(read_selector("a=b, c")->size(), 2U);
  for (const char* text : {"a=b=c", "=b", "a in (b,c)", "!", "a b"}) {
    EXPECT_FALSE(read_selector(text).has_value()) << text;
  }
}

/// Deployments of one team, each with a Service that selects by the team first.
std::string team_of(int size) {
  std::string text;
  for (int i = 0; i < size; ++i) {
    const std::string name = "app" + std::to_string(i);
    text += "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
            "}\nspec: {template: {metadata: {labels: {team: a, app: " + name +
            "}}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: " + name +
            "}\nspec: {selector: {team: a, app: " + name + "}, ports: []}\n";
  }
  return text;
}

TEST(SelectorIndex, LooksAtFewSelectorsHoweverManyShareALabel) {
  const auto manifests = manifests_of(team_of(100));
  const std::vector<Resource> resources = find_resources(manifests);
  std::vector<SelectorIndex::Selector> selectors = {{"", nullptr}, {"other", nullptr}};
  for (const Resource& resource : resources) {
    if (resource.kind == "Service") selectors.push_back({"", resource.root->at("spec/selector")});
  }
  const SelectorIndex index(selectors);
  EXPECT_THAT(index.candidates_for(resources.at(0)), testing::ElementsAre(0, 2));
  EXPECT_THAT(index.candidates_for(resources.at(198)), testing::ElementsAre(0, 101));
  EXPECT_THAT(index.candidates_for(resources.at(1)), testing::IsEmpty()) << "a Service has no pods";
}

std::string annotated(const std::string& annotations, const std::string& lines = "") {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  annotations: {" +
         annotations +
         "}\nspec:\n  template:\n    metadata: {labels: {app: shop}}\n    spec:\n"
         "      containers:\n      - name: app\n" +
         kHttpPort + lines;
}

/// "25m 16Mi - 128Mi": requests, then limits.
std::string resources_of(const std::string& text, const InjectOptions& options) {
  const auto manifests = manifests_of(injected(text, options).text);
  const Node* const added =
      manifests.front().documents.front().root.at("spec/template/spec/containers/1/resources");
  if (added == nullptr) return "none";
  std::string amounts;
  for (const char* path : {"requests/cpu", "requests/memory", "limits/cpu", "limits/memory"}) {
    const std::string amount = added->text_at(path);
    amounts += (amounts.empty() ? "" : " ") + (amount.empty() ? "-" : amount);
  }
  return amounts;
}

/// As if the changed document of `cart` could not be read.
TEST(Document, ThatCouldNotBeRestoredIsRefusedAndTheOthersAreInjected) {
  const auto read = [](std::string_view text) {
    const bool is_cart = text.find("name: cart") != std::string_view::npos;
    if (is_cart && text.find("queue-proxy") != std::string_view::npos) {
      return Result<Node>(fail(ErrorKind::kMalformed, "cart", "is odd"));
    }
    return read_yaml(text);
  };
  const std::string service =
      "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: cart\nspec:\n"
      "  selector: {app: cart}\n  ports:\n  - {port: 80, targetPort: 8080}\n";
  const std::string cart = workload("cart", "a: b") + service;
  const Output output =
      output_of(inject(manifests_of(workload("shop", "a: b") + cart), options_of_tests(), read));
  EXPECT_THAT(output.report, HasSubstr("deployment/shop: injected"));
  EXPECT_THAT(output.report,
              HasSubstr("deployment/cart: refused: uninject could not restore its document exactly "
                        "(cart: is odd): write out its anchors and aliases"));
  EXPECT_TRUE(output.text.ends_with(cart)) << "its Service leads to the app:\n" << output.text;
}

TEST(Annotation, ThatMeansNothingIsReportedWithTheNameThatIsNear) {
  struct Case {
    std::string annotations;
    std::string warning;  ///< empty: none
  };
  for (const auto& [annotations, warning] : std::vector<Case>{
           {"bellows.dev/container-concurency: \"1\"",
            "annotation bellows.dev/container-concurency means nothing; did you mean "
            "bellows.dev/container-concurrency?"},
           {"bellows.dev/prot: \"1\"", "did you mean bellows.dev/port?"},
           {"bellows.dev/zzzzzzzz: \"1\"", "annotation bellows.dev/zzzzzzzz means nothing\n"},
           {"bellows.dev/autoscale: \"true\"", "means nothing: it is a label of a Deployment"},
           {"bellows.dev/container-concurrency: \"1\"", ""},
           {"bellows.dev/containerConcurrency: \"1\"", ""},
           {"bellows.dev/min-scale: \"1\"", ""},
           {"bellows.dev/port: \"8012\"", ""},
           {"bellows.dev/service: shop", ""},
           {"bellows.dev/front: \"true\"", "annotation bellows.dev/front means nothing\n"},
           {"example.com/bellows: x", ""}}) {
    const Output output = injected(annotated(annotations));
    EXPECT_THAT(output.report, HasSubstr(": injected: ")) << annotations;
    EXPECT_THAT(output.report, HasSubstr(warning));
    EXPECT_EQ(output.report.find("means nothing") == std::string::npos, warning.empty());
  }
}

TEST(InjectAnnotation, WithAnotherValueThanTheFourIsReported) {
  const auto report = [](const std::string& value) {
    return injected(annotated("inject.bellows.dev/inject: \"" + value + "\"")).report;
  };
  for (const std::string value : {"maybe", "Enabled", "yes", ""}) {
    EXPECT_THAT(report(value), HasSubstr("warning: annotation inject.bellows.dev/inject is \"" +
                                         value + "\": want enabled or disabled"));
  }
  for (const std::string value : {"enabled", "true"}) {
    EXPECT_THAT(report(value), Not(HasSubstr("want enabled")));
  }
  for (const std::string value : {"disabled", "false"}) {
    EXPECT_THAT(report(value), HasSubstr("skipped: inject.bellows.dev/inject: " + value));
  }
}

TEST(AutoscaleLabel, WithAnotherValueThanTrueIsReported) {
  for (const std::string value : {"yes", "True", "1", ""}) {
    EXPECT_THAT(injected(workload("shop", "bellows.dev/autoscale: \"" + value + "\"")).report,
                HasSubstr("warning: its label bellows.dev/autoscale is \"" + value +
                          "\", so it does not scale: want bellows.dev/autoscale: \"true\""));
  }
  for (const std::string value : {"true", "false"}) {
    EXPECT_THAT(injected(workload("shop", "bellows.dev/autoscale: \"" + value + "\"")).report,
                Not(HasSubstr("does not scale")));
  }
}

TEST(SidecarResources, AreThoseOfTheAnnotationThenOfTheFlagThenTheDefault) {
  const std::string requests = "inject.bellows.dev/requests: ";
  const std::string limits = "inject.bellows.dev/limits: ";
  const InjectOptions plain = options_of_tests();
  InjectOptions flags = plain;
  flags.resources.requests = read_amounts("cpu=50m,memory=32Mi").value();
  flags.resources.limits = read_amounts("cpu=1").value();
  const std::string by_default = resources_of(annotated(""), plain);
  EXPECT_THAT(by_default, HasSubstr("25m 16Mi - "));
  const std::string memory = by_default.substr(by_default.rfind(' '));
  EXPECT_EQ(resources_of(annotated(""), flags), "50m 32Mi 1000m" + memory);
  EXPECT_EQ(resources_of(annotated(requests + "cpu=100m"), flags), "100m 32Mi 1000m" + memory);
  EXPECT_EQ(resources_of(annotated(limits + "\"cpu=10m,memory=16Mi\""), plain), "10m 16Mi 10m 16Mi")
      << "a default request is no higher than a limit";
}

TEST(SidecarResources, ThatCannotBeAreNamed) {
  const auto report_of = [](const std::string& annotation) {
    return injected(annotated("inject.bellows.dev/" + annotation)).report;
  };
  EXPECT_THAT(
      report_of("limits: cpu=much"),
      HasSubstr(
          "refused: annotation inject.bellows.dev/limits: \"cpu=much\": want amounts above 0"));
  for (const char* wrong : {"disk=1", "\"cpu=1,cpu=2\"", "cpu=0", "cpu=-2"}) {
    EXPECT_THAT(report_of("requests: " + std::string(wrong)),
                HasSubstr("want amounts above 0: cpu="));
  }
}

TEST(SidecarResources, ThatContradictEachOtherAreNamedWithTheirPlaces) {
  const auto report_of = [](const std::string& annotations, const std::string& requests,
                            const std::string& limits) {
    InjectOptions options = options_of_tests();
    options.resources.requests = read_amounts(requests).value();
    options.resources.limits = read_amounts(limits).value();
    return injected(annotated(annotations), options).report;
  };
  EXPECT_THAT(report_of("", "cpu=2", "cpu=1"),
              HasSubstr("refused: --requests: cpu=2000m: want at most cpu=1000m of --limits"));
  EXPECT_THAT(report_of("inject.bellows.dev/requests: cpu=2", "", "cpu=1"),
              HasSubstr("annotation inject.bellows.dev/requests: cpu=2000m: want at most cpu=1000m "
                        "of --limits"));
  EXPECT_THAT(report_of("inject.bellows.dev/limits: cpu=1", "cpu=2", ""),
              HasSubstr("--requests: cpu=2000m: want at most cpu=1000m of annotation "
                        "inject.bellows.dev/limits"));
  EXPECT_THAT(report_of("", "memory=32Mi", "memory=16Mi"),
              HasSubstr("--requests: memory=32Mi: want at most memory=16Mi of --limits"));
}

TEST(SidecarResources, WithTooLittleMemoryToRunAreRefused) {
  const auto report_of = [](const std::string& limits) {
    InjectOptions options = options_of_tests();
    options.resources.limits = read_amounts(limits).value();
    return injected(annotated(""), options).report;
  };
  EXPECT_THAT(report_of("memory=8"), HasSubstr("refused: --limits: memory=8: want at least 16Mi"));
  EXPECT_THAT(report_of("memory=1Mi"), HasSubstr("memory=1Mi: want at least 16Mi"));
  EXPECT_THAT(report_of("memory=15Mi"), HasSubstr("uses 6 MiB idle and 10 MiB with 500"));
  EXPECT_THAT(report_of("memory=16Mi"), testing::Not(HasSubstr("refused")));
}

const std::string kLimited = "        resources: {limits: {cpu: 1, memory: 1Gi}}\n";
const std::string kCpuLimited =
    "        resources: {limits: {cpu: 1}, requests: {cpu: 1, memory: 1Gi}}\n";

TEST(GuaranteedPods, StaySoWithTheLinesThatTheReportNames) {
  const std::string report = injected(annotated("", kLimited)).report;
  EXPECT_THAT(report,
              HasSubstr("warning: its pods are Guaranteed, and with a queue-proxy Burstable: "
                        "to keep them so, write the annotations "
                        "inject.bellows.dev/requests: cpu=250m,memory="));
  const std::string amounts = "\"cpu=250m,memory=128Mi\"";
  EXPECT_THAT(injected(annotated("inject.bellows.dev/requests: " + amounts +
                                     ", inject.bellows.dev/limits: " + amounts,
                                 kLimited))
                  .report,
              Not(HasSubstr("Guaranteed")));
  EXPECT_THAT(injected(annotated("")).report, Not(HasSubstr("Guaranteed")));
}

TEST(QuotaOnCpuLimits, IsReportedWithTheLineToWrite) {
  const std::string quota =
      "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {limits.cpu: "
      "4}}\n";
  const std::string line = "write the annotation inject.bellows.dev/limits: cpu=250m\n";
  EXPECT_THAT(
      injected(annotated("", kCpuLimited) + quota).report,
      HasSubstr("warning: resourcequota/q counts limits.cpu: pods with a container without a "
                "CPU limit are not made; " +
                line));
  EXPECT_THAT(
      injected(annotated("", kCpuLimited)).report,
      HasSubstr("the queue-proxy is its only container without a CPU limit: if a quota counts "
                "limits.cpu, its pods are not made; " +
                line));
  EXPECT_THAT(
      injected(annotated("inject.bellows.dev/limits: cpu=250m", kCpuLimited) + quota).report,
      Not(HasSubstr("limits.cpu")));
  EXPECT_THAT(injected(annotated("")).report, Not(HasSubstr("limits.cpu")));
}

std::string labelled(const std::string& metadata) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n" + metadata +
         "spec:\n  template:\n    metadata: {labels: {app: shop}}\n    spec:\n"
         "      containers:\n      - name: app\n" +
         kHttpPort;
}

TEST(LabelThatScales, IsSaidToBeNeededInTheManifest) {
  const std::string label = "  labels: {bellows.dev/autoscale: \"true\"}\n";
  const std::string note =
      "note: it scales with the label bellows.dev/autoscale: \"true\" or with a "
      "Revision: write one of them into its manifest\n";
  EXPECT_THAT(injected(labelled("")).report, HasSubstr(note));
  EXPECT_THAT(injected(labelled(label)).report, Not(HasSubstr("autoscale")));
  EXPECT_THAT(injected(labelled("") + "---\napiVersion: bellows.dev/v1alpha1\nkind: Revision\n"
                                      "metadata: {name: x}\nspec: {scaleTargetRef: {name: shop}}\n")
                  .report,
              Not(HasSubstr("autoscale")));
}

TEST(LabelThatScales, IsSaidToHaveNoEffectOnOtherKinds) {
  std::string set = labelled("  labels: {bellows.dev/autoscale: \"true\"}\n");
  set.replace(set.find("Deployment"), 10, "StatefulSet");
  EXPECT_THAT(injected(set).report,
              HasSubstr("warning: the label bellows.dev/autoscale has an effect on Deployments "
                        "only: write a Revision with this StatefulSet as its scaleTargetRef\n"));
}

TEST(LabelThatScales, IsLostWhenTheFileIsAppliedNextIfOnlyTheClusterHasIt) {
  const auto of_server = [](const std::string& applied) {
    return labelled(
        "  uid: 1\n  labels: {bellows.dev/autoscale: \"true\"}\n  annotations:\n"
        "    kubectl.kubernetes.io/last-applied-configuration: '" +
        applied + "'\n");
  };
  const std::string warning =
      "warning: its label bellows.dev/autoscale: \"true\" is on the cluster";
  EXPECT_THAT(injected(of_server(R"({"metadata":{"name":"shop"}})")).report, HasSubstr(warning));
  EXPECT_THAT(injected(of_server(R"({"metadata":{"labels":{"a":"b"}}})")).report,
              HasSubstr(warning));
  EXPECT_THAT(
      injected(of_server(R"({"metadata":{"labels":{"bellows.dev/autoscale":"true"}}})")).report,
      Not(HasSubstr("autoscale")));
}

}  // namespace
}  // namespace bellows::injector
