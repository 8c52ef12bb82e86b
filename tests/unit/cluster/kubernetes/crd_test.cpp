#include "cluster/kubernetes/core/crd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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

TEST(CustomResourceDefinition, HasNothingThatOldServersDrop) {
  EXPECT_THAT(crd_yaml(), testing::Not(HasSubstr("x-kubernetes-validations")));
}

}  // namespace
}  // namespace bellows::cluster
