#include "cluster/kubernetes/core/crd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/document.hpp"
#include "base/yaml/document_reader.hpp"
#include "config/revision_schema.hpp"

namespace bellows::cluster {
namespace {

using testing::HasSubstr;

TEST(CustomResourceDefinition, HasEverySettingOnceInCamelCase) {
  const std::string manifest = crd_yaml();
  for (const config::Declaration& declaration : config::revision_schema().declarations()) {
    const std::string line =
        "\n" + std::string(18, ' ') + config::camel_case(declaration.name) + ":\n";
    const std::size_t at = manifest.find(line);
    ASSERT_NE(at, std::string::npos) << declaration.name;
    EXPECT_EQ(manifest.find(line, at + 1), std::string::npos) << declaration.name;
  }
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

/// Returns the keys below `properties` without a description, with the columns. The API's own
/// metadata cannot have one.
std::vector<std::string> undescribed(const DocumentNode& node, const std::string& path) {
  std::vector<std::string> found;
  const auto append = [&](const std::vector<std::string>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  for (const DocumentMember& member : node.members) {
    const std::string below = path + "." + member.key;
    const bool is_described = std::ranges::any_of(
        member.value.members, [](const auto& each) { return each.key == "description"; });
    if (path.ends_with(".properties") && !is_described && member.key != "metadata") {
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

TEST(CustomResourceDefinition, HasNothingThatOldServersDrop) {
  EXPECT_THAT(crd_yaml(), testing::Not(HasSubstr("x-kubernetes-validations")));
}

}  // namespace
}  // namespace bellows::cluster
