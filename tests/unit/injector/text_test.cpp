// Files of manifests, reports and differences as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "injector/core/diff.hpp"
#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto manifest = read_manifest("a.yaml", text, read_yaml);
  return manifest ? "" : to_string(manifest.error());
}

TEST(ManifestFile, IsReadDocumentByDocumentAndPrintedAsItWas) {
  for (const std::string text :
       {"", "\n", "# only a comment\n", "---\n", "a: 1", "a: 1\n---\nb: 2\n",
        "---\na: 1\n---\n---\n# c\n", "%YAML 1.2\n---\na: 1\n...\n---\nb: 2\n",
        "a: |\n  ---\n  text\n---\nb: '--- no'\n", "{}{}", " {\"a\": \"}{\"} \n\n{}\n",
        "{}\n{}{} # c\n"}) {
    const auto manifest = read_manifest("a.yaml", text, read_yaml);
    ASSERT_TRUE(manifest.has_value()) << text;
    EXPECT_EQ(manifest_text(*manifest), text);
  }
}

TEST(ManifestFile, MayHaveJsonObjectsInARow) {
  const auto manifest =
      read_manifest("a.json", "{\"a\": \"}{\"}{\"b\": 1}\n\n{\"c\": 2}", read_yaml);
  ASSERT_TRUE(manifest.has_value());
  ASSERT_EQ(manifest->documents.size(), 3U);
  EXPECT_EQ(manifest->documents[0].root.text_at("a"), "}{");
  EXPECT_EQ(manifest->documents[1].root.text_at("b"), "1");
  EXPECT_EQ(manifest->documents[2].first_line, 3U);
}

TEST(ManifestFile, IsRefusedWithTheLineOfTheProblem) {
  EXPECT_THAT(error_of("a: 1\n---\nb: [1\n"), HasSubstr("a.yaml:"));
  EXPECT_EQ(error_of("a: 1\n---\n# x\nb: 1\nb: 2\n"), "a.yaml:5: the key \"b\" is there already");
  EXPECT_EQ(error_of("a: 'open\n"), "a.yaml:1: the quote that begins here is never closed");
  EXPECT_EQ(error_of("a: 1\n---\n? [k]\n: v\n"), "a.yaml:3: a key that is no word");
  EXPECT_EQ(error_of(std::string("a\0b", 3)), "a.yaml: a zero byte: want UTF-8");
  EXPECT_EQ(error_of("a: 1\n...\nb: 2\n"), "a.yaml:3: a second document begins without ---");
}

TEST(Report, HasALineForEachObjectWithItsPlace) {
  const Output output =
      injected("# shop\n" + app_of(kNamedPort) + "---\nkind: DaemonSet\nmetadata: {name: log}\n");
  EXPECT_THAT(
      output.report,
      HasSubstr("a.yaml:2: deployment/shop: injected: container app, port 8080: requests go "
                "to port http of the queue-proxy\n  note: no Service of the input"));
  EXPECT_THAT(output.report,
              HasSubstr("\na.yaml:19: daemonset/log: skipped: it has one pod on each "
                        "node, whatever the load is\n"));
}

/// Without a kind and version of its own, as API servers print the items of a list.
std::string item(const std::string& name, const std::string& head = "") {
  return "- " + head + "metadata: {name: " + name +
         "}\n  spec:\n    template:\n      metadata: {labels: {app: a}}\n      spec:\n"
         "        containers:\n        - {name: app, ports: [{name: http, containerPort: 80}]}\n";
}

std::string list(const std::string& version, const std::string& kind, const std::string& items) {
  return "apiVersion: " + version + "\nkind: " + kind + "\nitems:\n" + items;
}

TEST(List, MakesItsItemsOfItsKindUnlessTheySayTheirs) {
  const std::string own = item("x", "apiVersion: apps/v1\n  kind: StatefulSet\n  ");
  const std::string service = "- {metadata: {name: x}, spec: {selector: {app: a}, ports: [{}]}}\n";
  struct Case {
    std::string text;
    std::string report;
  };
  for (const auto& [text, report] : std::vector<Case>{
           {list("apps/v1", "DeploymentList", item("x")), "deployment/x: injected"},
           {list("apps/v1", "StatefulSetList", item("x")), "statefulset/x: injected"},
           {list("apps/v1", "ReplicaSetList", item("x")), "replicaset/x: injected"},
           {list("argoproj.io/v1alpha1", "RolloutList", item("x")), "rollout/x: injected"},
           {list("v1", "PodList",
                 "- {metadata: {name: x, labels: {a: b}}, spec: {containers: "
                 "[{name: app, ports: [{containerPort: 80}]}]}}\n"),
            "pod/x: injected"},
           {list("v1", "PodList", "- {metadata: {name: x}}\n"), "pod/x: skipped: its pods have"},
           {list("batch/v1", "JobList", item("x")), "job/x: skipped: its pods end by themselves"},
           {list("batch/v1", "CronJobList", item("x")), "cronjob/x: skipped: its pods end"},
           {list("apps/v1", "DaemonSetList", item("x")), "daemonset/x: skipped: it has one pod"},
           {list("apps/v1", "DeploymentList", item("y") + own), "statefulset/x: injected"},
           {list("apps/v1", "DeploymentList", item("y") + own), "a.yaml:4: deployment/y: injected"},
           {list("apps/v1", "DeploymentList", item("y") + item("x")), "a.yaml:11: deployment/x: "},
           {list("apps/v1", "DeploymentList", "- metadata: {name: x}\n"),
            "deployment/x: skipped: it has no spec.template"},
           {list("v1", "List", own), "statefulset/x: injected"},
           {list("v1", "List", item("x")), ""},
           {list("v1", "ServiceList", service), ""},
           {"apiVersion: v1\nkind: ShoppingList\nmetadata: {name: x}\n", ""},
       }) {
    const Output once = injected(text);
    EXPECT_THAT(once.report, HasSubstr(report)) << text;
    EXPECT_EQ(once.report.empty(), report.empty()) << text << once.report;
    EXPECT_EQ(injected(once.text).text, once.text);
    EXPECT_EQ(uninjected(once.text).text, text);
  }
}

TEST(List, OfServicesLeadsToTheQueueProxy) {
  const std::string services =
      "- metadata: {name: a}\n  spec:\n    selector: {app: a}\n"
      "    ports: [{port: 80, targetPort: 80}]\n";
  const Output output = injected(list("apps/v1", "DeploymentList", item("x")) + "---\n" +
                                 list("v1", "ServiceList", services));
  EXPECT_THAT(output.report, HasSubstr("service/a: injected: target port 80 is http now"));
}

TEST(Diff, ShowsWhatChangedWithThreeLinesAround) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
  std::string after = before;
  after.replace(after.find("5\n"), 2, "five\n");
  after += "17\n";
  EXPECT_EQ(unified_diff("f", before, after),
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
            "@@ -14,3 +14,4 @@\n 14\n 15\n 16\n+17\n");
  EXPECT_EQ(unified_diff("f", before, before), "");
}

TEST(Diff, JoinsChangesThatAreNearAndNamesAMissingLineBreak) {
  EXPECT_EQ(
      unified_diff("f", "a\nb\nc\nd\n", "A\nb\nc\nD"),
      "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
}

/// What patch(1) makes of a diff and the text before.
std::string patched(const std::string& before, std::string diff) {
  std::vector<std::string> old_lines;
  for (std::size_t at = 0; at < before.size(); at = before.find('\n', at) + 1) {
    old_lines.push_back(before.substr(at, before.find('\n', at) + 1 - at));
  }
  std::string result;
  std::size_t line = 0;
  diff = diff.substr(diff.find("@@"));
  while (!diff.empty()) {
    const std::string text = diff.substr(0, diff.find('\n') + 1);
    diff = diff.substr(text.size());
    if (text.starts_with("@@")) {
      const bool is_empty = text.find(",0 +") != std::string::npos;
      const std::size_t begin = std::stoul(text.substr(4)) - (is_empty ? 0 : 1);
      while (line < begin) result += old_lines.at(line++);
    } else if (text[0] == '+') {
      result += text.substr(1);
    } else {
      EXPECT_EQ(old_lines.at(line), text.substr(1));
      if (text[0] == ' ') result += text.substr(1);
      ++line;
    }
  }
  while (line < old_lines.size()) result += old_lines.at(line++);
  return result;
}

RC_GTEST_PROP(Diff, LeadsFromTheOneToTheOther,
              (const std::vector<unsigned char>& first, const std::vector<unsigned char>& second)) {
  const auto text_of = [](const std::vector<unsigned char>& bytes) {
    std::string text;
    for (const unsigned char byte : bytes) text += std::to_string(byte % 5) + "\n";
    return text;
  };
  const std::string before = text_of(first);
  const std::string after = text_of(second);
  const std::string diff = unified_diff("f", before, after);
  RC_LOG() << diff;
  RC_ASSERT(diff.empty() == (before == after));
  if (!diff.empty()) RC_ASSERT(patched(before, diff) == after);
}

}  // namespace
}  // namespace bellows::injector
