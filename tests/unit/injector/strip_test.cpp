// Objects that were changed since they were injected, or went through an API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "injector/core/render.hpp"
#include "tests/unit/injector/injecting.hpp"
#include "tests/unit/injector/shapes.hpp"

namespace bellows::injector {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kProbe =
    "        # ready?\n        readinessProbe:\n          httpGet:\n            path: /up\n"
    "            port: http\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " is not in\n" << text;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

/// The same object as JSON, as `kubectl get -o json` prints what was applied as YAML.
std::string as_json(const std::string& yaml) {
  const auto manifests = manifests_of(yaml);
  return json_text(manifests.front().documents.front().root) + "\n";
}

TEST(UninjectOfChangedPods, KeepsWhatOthersChanged) {
  const std::string original = app_of(kNamedPort + kProbe);
  const std::string changed = replaced(
      replaced(injected(original).text, "image: a\n", "image: b # newer\n"),
      "        app: shop\n        bellows", "        app: shop\n        tier: x\n        bellows");
  EXPECT_EQ(uninjected(changed).text,
            replaced(replaced(original, "image: a\n", "image: b # newer\n"), "app: shop\n",
                     "app: shop\n        tier: x\n"));
}

TEST(UninjectOfChangedPods, LeavesAMapThatGotOtherEntries) {
  const std::string changed = replaced(injected(app_of(kNamedPort)).text, "      annotations:\n",
                                       "      annotations:\n        a: b\n");
  EXPECT_THAT(uninjected(changed).text, HasSubstr("      annotations:\n        a: b\n    spec:"));
}

TEST(UninjectOfChangedPods, NamesWhatItDoesNotRestore) {
  const std::string once = injected(app_of(kNamedPort + kProbe)).text;
  const Output port = uninjected(replaced(once, "- name: user-port", "- name: mine"));
  EXPECT_THAT(port.text, HasSubstr("- name: mine\n"));
  EXPECT_THAT(port.report,
              HasSubstr("ports/0/name was changed since: it stays; before inject it was http"));
  const Output hook = uninjected(replaced(once, "path: /drain", "path: /other"));
  EXPECT_THAT(hook.text, HasSubstr("path: /other\n"));
  EXPECT_THAT(hook.report,
              HasSubstr("the preStop hook of container app was changed since: it stays"));
  const Output probe = uninjected(replaced(
      once,
      "        lifecycle:", "        readinessProbe: {tcpSocket: {port: 1}}\n        lifecycle:"));
  EXPECT_THAT(probe.report, HasSubstr("container app has another readiness probe since: it stays"));
  const Output gone = uninjected(replaced(once, "- name: app\n", "- name: renamed\n"));
  EXPECT_THAT(gone.report, HasSubstr("container app no longer exists: nothing was restored in it"));
  EXPECT_THAT(gone.text, Not(HasSubstr("queue-proxy")));
}

TEST(UninjectOfReindentedPods, PutsTheProbeBackWithTheirIndentation) {
  std::string once = injected(app_of(kNamedPort + kProbe)).text;
  std::string wide;
  const std::size_t containers = once.find("      containers:\n") + 18;
  const std::size_t volumes = once.find("      volumes:\n");
  for (std::size_t at = 0; at < once.size();) {
    const std::size_t end = once.find('\n', at) + 1;
    if (at >= containers && at < volumes) wide += "    ";
    wide += once.substr(at, end - at);
    at = end;
  }
  EXPECT_THAT(
      uninjected(wide).text,
      HasSubstr("            # ready?\n            readinessProbe:\n              httpGet:\n"
                "                path: /up\n                port: http\n"));
}

TEST(UninjectOfAnObjectOfTheApiServer, RestoresItsMeaning) {
  for (const std::string& original :
       {app_of(kNamedPort + kProbe), app_of(kHttpPort + kProbe + "        tty: true\n"),
        app_of(kNamedPort + kProbe + "        livenessProbe: {tcpSocket: {port: http}}\n")}) {
    const std::string json = uninjected(as_json(injected(original).text)).text;
    const auto restored = manifests_of(json);
    const auto expected = manifests_of(original);
    const std::string path = "spec/template/spec/containers/0/";
    for (const char* key : {"ports/0/name", "readinessProbe/httpGet/path",
                            "readinessProbe/httpGet/port", "livenessProbe/tcpSocket/port", "tty"}) {
      EXPECT_EQ(restored.front().documents.front().root.text_at(path + key),
                expected.front().documents.front().root.text_at(path + key))
          << key << "\n"
          << json;
    }
    EXPECT_THAT(json, Not(HasSubstr("bellows")));
    EXPECT_THAT(json, Not(HasSubstr("lifecycle")));
  }
}

TEST(InjectOfAnObjectOfTheApiServer, KeepsEveryByteOfWhatIsUpToDate) {
  const std::string json = as_json(injected(app_of(kNamedPort + kProbe)).text);
  EXPECT_EQ(injected(json).text, json);
  const std::string defaults =
      replaced(json, "\"periodSeconds\": 1", "\"periodSeconds\": 1, \"timeoutSeconds\": 1");
  EXPECT_EQ(injected(defaults).text, defaults) << "a server fills in defaults";
}

TEST(InjectOfAnObjectOfTheApiServer, RepairsAQueueProxyThatWasChangedByHand) {
  const std::string json = as_json(injected(app_of(kNamedPort + kProbe)).text);
  const Output output = injected(replaced(json, "--user-port=8080", "--user-port=9999"));
  const auto manifests = manifests_of(output.text);
  const Node& spec = *manifests.front().documents.front().root.at("spec/template/spec");
  ASSERT_EQ(spec.find("containers")->items.size(), 2U) << output.text;
  EXPECT_EQ(spec.text_at("containers/0/ports/0/name"), "user-port");
  EXPECT_EQ(spec.text_at("containers/1/ports/0/name"), "http");
  EXPECT_EQ(spec.at("containers/0/readinessProbe"), nullptr);
  EXPECT_THAT(output.text, HasSubstr("--user-port=8080"));
}

/// The same object in lines, as `kubectl get -o yaml` prints it: its own indentation, no comments.
std::string as_kubectl_prints(const std::string& yaml) {
  const auto manifests = manifests_of(yaml);
  std::string text;
  for (const Entry& entry : manifests.front().documents.front().root.entries) {
    text += entry_lines(entry.key.text, entry.value, 0, "\n");
  }
  return text;
}

TEST(InjectOfAnObjectOfTheApiServer, WritesTheSameRecordSoThatNoPodIsReplaced) {
  const std::string wide = deployment_of(
      "        containers:\n            - name: app\n              ports:\n"
      "                - name: http\n                  containerPort: 8080\n"
      "              # ready?\n              readinessProbe:\n                  httpGet:\n"
      "                      port: http\n");
  for (const std::string& original : {app_of(kNamedPort + kProbe), wide}) {
    const std::string once = as_kubectl_prints(injected(original).text);
    EXPECT_EQ(as_kubectl_prints(injected(once).text), once);
  }
}

TEST(BrokenRecord, IsNamedAndTheObjectStaysAsItIs) {
  const std::string broken =
      replaced(injected(app_of(kHttpPort)).text, "record: '{", "record: 'x{");
  for (const Output& output : {uninjected(broken), injected(broken)}) {
    EXPECT_EQ(output.text, broken);
    EXPECT_THAT(output.report, HasSubstr("refused: annotation inject.bellows.dev/record: "));
  }
}

TEST(NotInjected, IsNotReportedByUninject) {
  const Output output = uninjected(app_of(kHttpPort));
  EXPECT_EQ(output.text, app_of(kHttpPort));
  EXPECT_EQ(output.report, "");
}

}  // namespace
}  // namespace bellows::injector
