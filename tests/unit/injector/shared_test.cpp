// Anchors, aliases and merge keys: read everywhere, written out only where a change falls into one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHead = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n";

/// Injected, restored exactly, and the same by a second run.
std::string injected_and_back(const std::string& text) {
  const Output once = injected(text);
  EXPECT_THAT(once.report, HasSubstr("deployment/shop: injected"));
  EXPECT_EQ(uninjected(once.text).text, text) << once.text;
  EXPECT_EQ(injected(once.text).text, once.text);
  return once.text;
}

Node root_of(const std::string& text) {
  return manifests_of(text).front().documents.front().root;
}

TEST(LabelsWithAnAnchor, StayThoseOfTheSelector) {
  const std::string text = injected_and_back(
      kHead +
      "  labels: &labels   # of all\n    app: shop\nspec:\n  selector:\n"
      "    matchLabels: *labels\n  template:\n    metadata:\n      labels: *labels\n"
      "    spec:\n      containers:\n      - name: app\n" +
      kHttpPort);
  EXPECT_THAT(text, HasSubstr("    matchLabels: *labels\n")) << "no change falls into it";
  EXPECT_THAT(text,
              HasSubstr("      labels: {\"app\": shop, \"bellows.dev/revision\": \"shop\"}\n"));
  EXPECT_THAT(text, HasSubstr("  labels: &labels   # of all\n    app: shop\nspec:"));
}

TEST(LabelsWithAnAnchor, OfThePodsThemselvesAreWrittenOutWhereTheyAreNamed) {
  const std::string text = injected_and_back(
      kHead +
      "spec:\n  template:\n    metadata:\n      labels: &labels\n        app: shop\n"
      "    spec:\n      containers:\n      - name: app\n" +
      kHttpPort + "  selector:\n    matchLabels: *labels # the same\n");
  EXPECT_THAT(text, HasSubstr("    matchLabels: {\"app\": shop} # the same\n"));
  EXPECT_THAT(text,
              HasSubstr("      labels: &labels\n        app: shop\n        bellows.dev/revision"));
}

TEST(ProbeWithAnAnchor, MovesAndTheOtherProbeStays) {
  const std::string text =
      injected_and_back(app_of(
          kNamedPort + "        readinessProbe: &probe\n          httpGet:\n            path: /up\n"
                       "            port: http\n        livenessProbe: *probe\n"));
  const Node app = *root_of(text).at("spec/template/spec/containers/0");
  EXPECT_EQ(app.find("readinessProbe"), nullptr);
  EXPECT_EQ(app.text_at("livenessProbe/httpGet/path"), "/up");
  EXPECT_EQ(app.text_at("livenessProbe/httpGet/port"), "user-port");
}

TEST(PortNameWithAnAnchor, IsReadAndRenamed) {
  const std::string text = injected_and_back(
      app_of("        ports:\n        - name: &port http\n          containerPort: 8080\n"
             "        livenessProbe: {tcpSocket: {port: *port}}\n") +
      service_of("  - {port: 80, targetPort: http}\n"));
  const Node app = *root_of(text).at("spec/template/spec/containers/0");
  EXPECT_EQ(app.text_at("ports/0/name"), "user-port");
  EXPECT_EQ(app.text_at("livenessProbe/tcpSocket/port"), "user-port");
}

TEST(PortNumberByAnAlias, IsRead) {
  const std::string text = injected_and_back(
      kHead +
      "  annotations: {port: &port 8080}\nspec:\n  template:\n    metadata:\n"
      "      labels: {app: shop}\n    spec:\n      containers:\n      - name: app\n"
      "        ports: [{containerPort: *port}]\n");
  EXPECT_THAT(text, HasSubstr("ports: [{containerPort: *port}]")) << "it is not changed";
  EXPECT_THAT(text, HasSubstr("--user-port=8080"));
}

const std::string kDefaults =
    "        readinessProbe:\n          httpGet: {path: /up, port: 8080}\n        env:\n"
    "        - {name: A, value: b}\n";

TEST(MergeKey, IsReadAndStaysWhereNoChangeFallsIntoIt) {
  const std::string text = injected_and_back("x-defaults: &defaults\n  imagePullPolicy: Always\n" +
                                             app_of(kHttpPort + "        <<: *defaults\n"));
  EXPECT_THAT(text, HasSubstr("        <<: *defaults\n"));
  EXPECT_EQ(root_of(text).text_at("spec/template/spec/containers/0/imagePullPolicy"), "Always");
}

TEST(MergeKey, IsWrittenOutWhereAChangeFallsIntoIt) {
  const std::string base =
      "x-defaults: &defaults\n  readinessProbe:\n    httpGet: {path: /up, port: 8080}\n"
      "  imagePullPolicy: Always\n";
  for (const std::string& lines :
       {kHttpPort + "        <<: *defaults\n", "        <<: *defaults # all\n" + kHttpPort,
        "        <<: [*defaults]\n        tty: true\n" + kHttpPort}) {
    const std::string text = injected_and_back(base + app_of(lines));
    const Node app = *root_of(text).at("spec/template/spec/containers/0");
    EXPECT_EQ(app.find("readinessProbe"), nullptr);
    EXPECT_EQ(app.text_at("imagePullPolicy"), "Always");
    EXPECT_THAT(text, HasSubstr("--readiness-probe=/up"));
    EXPECT_THAT(text, HasSubstr(base)) << "others may name it";
  }
}

TEST(TemplateOfAnotherWorkload, IsWrittenOut) {
  const std::string text =
      "kind: List\napiVersion: v1\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n"
      "  metadata: {name: shop}\n  spec:\n    template: &pod\n      metadata:\n"
      "        labels: {app: shop}\n      spec:\n        containers:\n        - name: app\n"
      "          ports: [{containerPort: 8080}]\n- apiVersion: apps/v1\n  kind: Deployment\n"
      "  metadata: {name: next}\n  spec:\n    template: *pod\n";
  const std::string once = injected_and_back(text);
  const Node root = root_of(once);
  for (const char* item : {"items/0", "items/1"}) {
    const Node* const labels = root.at(std::string(item) + "/spec/template/metadata/labels");
    ASSERT_NE(labels, nullptr);
    EXPECT_EQ(labels->find("bellows.dev/revision")->text,
              root.text_at(std::string(item) + "/metadata/name"));
  }
}

TEST(SharedValuesOfAService, AreWrittenOutToo) {
  const std::string text = injected_and_back(
      app_of(kNamedPort) +
      "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: &name shop\nspec:\n"
      "  selector: {app: *name}\n  ports:\n  - &web {port: 80, targetPort: 8080}\n");
  EXPECT_THAT(text, HasSubstr("  selector: {app: *name}\n"));
  EXPECT_THAT(text, HasSubstr("  - &web {port: 80, targetPort: http}\n"));
}

TEST(SharedValue, OfAWorkloadThatIsRefusedStaysAsItIs) {
  const std::string text = app_of(
      "        ports: [{containerPort: 8080}]\n        lifecycle: &hooks !!map\n"
      "          postStart: {httpGet: {port: 8080}}\n        x: *hooks\n");
  const Output output = injected(text);
  EXPECT_EQ(output.text, text);
  EXPECT_THAT(output.report, HasSubstr("refused: the pod template: is shared by a YAML anchor"));
}

TEST(Alias, InsideAnAliasedMapIsWrittenOutAndRestored) {
  const std::string probe = "x-probe: &probe {httpGet: {path: /up, port: 8080}}\n";
  const std::string pod =
      "x-pod: &pod\n  containers:\n  - name: app\n    ports: [{name: http, containerPort: 8080}]\n"
      "    readinessProbe: *probe\n";
  const std::string labels = "    metadata: {labels: {app: shop}}\n";
  injected_and_back(probe + pod + kHead + "spec:\n  template:\n" + labels + "    spec: *pod\n");
  injected_and_back(probe + kHead + "spec:\n  template:\n" + labels +
                    "    spec: &pod\n      containers:\n      - &app\n        name: app\n"
                    "        ports: [{name: http, containerPort: 8080}]\n"
                    "        readinessProbe: *probe\n        livenessProbe: *probe\n"
                    "x-pod: *pod\nx-app: *app\n");
  injected_and_back("x-labels: &labels {app: shop}\nx-meta: &meta\n  labels: *labels\n" + kHead +
                    "  labels: *labels\nspec:\n  selector: {matchLabels: *labels}\n  template:\n"
                    "    metadata: *meta\n    spec:\n      containers:\n      - name: app\n" +
                    kHttpPort);
}

TEST(Alias, OfAMapWithAliasesInItIsRestoredInsideAnotherSharedMap) {
  const auto deployment = [](const std::string& name, const std::string& labels,
                             const std::string& rest) {
    return "- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: " + name +
           "\n    labels: " + labels + "\n  spec:\n    selector:\n      matchLabels: *labels\n" +
           rest;
  };
  const std::string text =
      "apiVersion: v1\nkind: List\nitems:\n" +
      deployment("shop", "&labels {app: shop}",
                 "    template:\n      metadata: &meta\n        labels: &own {app: shop}\n"
                 "      spec:\n        containers: &containers\n        - name: app\n"
                 "          ports:\n          - {name: http, containerPort: 8080}\n") +
      deployment("cart", "*own",
                 "    template: &template\n      metadata: *meta\n      spec:\n"
                 "        containers: *containers\n") +
      deployment("log", "*own", "    template: *template\n");
  const Output once = injected(text);
  EXPECT_FALSE(has_refusal(once.lines)) << once.report;
  EXPECT_EQ(uninjected(once.text).text, text) << once.text;
}

TEST(ObjectOfTheApiServer, ThatWasInjectedFromSharedValuesIsRestoredInItsMeaning) {
  const std::string text =
      injected(kHead +
               "  labels: &labels {app: shop}\nspec:\n  template:\n    metadata:\n"
               "      labels: *labels\n    spec:\n      containers:\n      - name: app\n" +
               kHttpPort)
          .text;
  std::string applied = text;
  applied.replace(applied.find("&labels "), 8, "");
  EXPECT_THAT(uninjected(applied).text, HasSubstr("      labels: {\"app\": shop}\n"));
}

TEST(Aliases, MayNotHoldMoreThanFitsInMemory) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    std::string items = before;
    for (int k = 1; k < 10; ++k) items += ", " + before;
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + items + "]\n";
  }
  const auto manifest = read_manifest("a.yaml", text, read_yaml);
  ASSERT_FALSE(manifest.has_value());
  EXPECT_THAT(to_string(manifest.error()), HasSubstr("its aliases hold too many values"));
  EXPECT_FALSE(read_manifest("a.yaml", "a: &a [*a]\n", read_yaml).has_value());
}

}  // namespace
}  // namespace bellows::injector
