#include "cluster/kubernetes/core/crd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/document.hpp"
#include "base/yaml/document_reader.hpp"
#include "config/reach.hpp"
#include "config/revision_schema.hpp"
#include "config/table.hpp"

namespace bellows::cluster {
namespace {

using testing::HasSubstr;

/// Returns how often spec.scaling has the setting.
int count_of(const std::string& setting) {
  const std::string manifest = crd_yaml();
  const std::string line = "\n" + std::string(18, ' ') + config::camel_case(setting) + ":\n";
  int count = 0;
  for (std::size_t at = manifest.find(line); at != std::string::npos;
       at = manifest.find(line, at + 1)) {
    ++count;
  }
  return count;
}

TEST(CustomResourceDefinition, HasEverySettingOnceInCamelCase) {
  for (const config::Declaration& declaration : config::revision_schema().declarations()) {
    if (config::is_refused_on_kubernetes(declaration.name)) continue;
    EXPECT_EQ(count_of(declaration.name), 1) << declaration.name;
  }
}

TEST(CustomResourceDefinition, HasNoSettingThatARevisionCannotHave) {
  for (const char* setting : {"port", "liveness-path"}) EXPECT_EQ(count_of(setting), 0) << setting;
}

TEST(CustomResourceDefinition, BoundsAndHelpAreThoseOfTheDeclaration) {
  const std::string manifest = crd_yaml();
  EXPECT_THAT(manifest, HasSubstr("containerConcurrency:\n"
                                  "                    type: integer\n"
                                  "                    minimum: 0\n"
                                  "                    maximum: 1000\n"
                                  "                    description: \"Hard limit of requests"));
  EXPECT_THAT(manifest, HasSubstr("minimum: 1\n                    exclusiveMinimum: true\n"));
  EXPECT_THAT(manifest, HasSubstr("anyOf:\n"
                                  "                    - enum:\n"
                                  "                      - -1\n"
                                  "                    - minimum: 0\n"));
}

TEST(CustomResourceDefinition, BoundsOfDurationsAreRulesInCel) {
  const std::string manifest = crd_yaml();
  EXPECT_THAT(
      manifest,
      HasSubstr(
          "livenessPeriod:\n"
          "                    type: string\n"
          "                    maxLength: 64\n"
          "                    pattern: \"^(0|([0-9.]+(d|h|m|s|ms|us|ns))+)$\"\n"
          "                    x-kubernetes-validations:\n"
          "                    - rule: \"self.contains('d') || duration(self) >= duration('1s') && "
          "duration(self) <= duration('3600s')\"\n"
          "                      message: \"want a duration (90s, 1m30s) from 1s to"));
}

TEST(CustomResourceDefinition, ABoundWithAFractionIsARuleInCelToo) {
  EXPECT_THAT(crd_yaml(), HasSubstr("                  target:\n"
                                    "                    type: number\n"
                                    "                    minimum: 0.01\n"
                                    "                    maximum: 1000000000\n"
                                    "                    x-kubernetes-validations:\n"
                                    "                    - rule: \"self >= 0.01\"\n"));
}

/// Returns the keys below `properties` without a description, and items and values of maps. The
/// API's own metadata cannot have one.
std::vector<std::string> undescribed(const DocumentNode& node, const std::string& path) {
  std::vector<std::string> found;
  const auto append = [&](const std::vector<std::string>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  for (const DocumentMember& member : node.members) {
    const std::string below = path + "." + member.key;
    const bool is_described = std::ranges::any_of(
        member.value.members, [](const auto& each) { return each.key == "description"; });
    const bool is_property = path.ends_with(".properties");
    const bool is_inner =
        !is_property && (member.key == "items" || member.key == "additionalProperties");
    if ((is_property || is_inner) && !is_described && member.key != "metadata") {
      found.push_back(below);
    }
    append(undescribed(member.value, below));
  }
  for (const DocumentNode& item : node.items) append(undescribed(item, path + "[]"));
  return found;
}

TEST(CustomResourceDefinition, DescribesEachPropertyForKubectlExplain) {
  const auto parsed = yaml::parse_document("crd.yaml", crd_yaml());
  ASSERT_TRUE(parsed);
  EXPECT_THAT(undescribed(parsed->root, ""), testing::IsEmpty());
}

/// Returns true if nothing enforces the setting on Kubernetes, so that a rule is of no use.
bool has_no_effect(const std::string& name) {
  bool found = false;
  config::each_row([&](const config::Group& group, const config::Setting& row) {
    const config::Reach& reach = row.reach;
    if (row.name == name) {
      found = !group.off_kubernetes.empty() || !reach.off_kubernetes.empty() ||
              !reach.refused_on_kubernetes.empty();
    }
  });
  return found;
}

TEST(CustomResourceDefinition, HasARuleInCelForEachRuleBetweenSettings) {
  const std::string manifest = crd_yaml();
  int rules = 0;
  for (const config::LayoutRule& rule : config::revision_schema().rules()) {
    if (rule.settings.size() < 2 || std::ranges::any_of(rule.settings, has_no_effect)) continue;
    ++rules;
    EXPECT_NE(rule.cel, "") << rule.want;
    for (const std::string& setting : rule.settings) {
      EXPECT_THAT(rule.cel, HasSubstr("self." + config::camel_case(setting)));
      EXPECT_THAT(manifest, HasSubstr("!has(self." + config::camel_case(setting) + ") || "));
    }
    EXPECT_THAT(manifest, HasSubstr(rule.cel + "\"\n                  message: \"want "));
  }
  EXPECT_GT(rules, 8);
  EXPECT_THAT(manifest, HasSubstr("\"want minScale at most maxScale, or maxScale 0 (no limit)\""))
      << "as users write them";
}

TEST(CustomResourceDefinition, ComparesNoQuantitiesWhichServersBefore129WouldRefuse) {
  const std::string manifest = crd_yaml();
  EXPECT_THAT(manifest, HasSubstr("\n                  maxAllowedCpu:\n"));
  EXPECT_THAT(manifest, testing::Not(HasSubstr("quantity(")));
}

TEST(CustomResourceDefinition, HasEachRuleInTwoLinesThatCanBeLeftOut) {
  const std::string manifest = crd_yaml();
  EXPECT_THAT(manifest, HasSubstr("                x-kubernetes-validations:\n"
                                  "                - rule: \"!has(self."));
  EXPECT_THAT(manifest, HasSubstr("                properties:\n                  profile:\n"));
}

}  // namespace
}  // namespace bellows::cluster
