#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cluster/kubernetes/core/crd.hpp"

namespace bellows::cluster {
namespace {

TEST(CustomResourceDefinitionFile, IsUpToDate) {
  std::ifstream file(std::filesystem::path(BELLOWS_SOURCE_DIR) / "deploy/crd.yaml",
                     std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // Not EXPECT_EQ: the difference of two whole manifests helps nobody.
  EXPECT_TRUE(text == crd_yaml()) << "deploy/crd.yaml is stale. Renew it with:\n"
                                     "  cmake --build --preset dev --target crd_manifest && "
                                     "build/dev/bin/crd_manifest deploy/crd.yaml";
}

}  // namespace
}  // namespace bellows::cluster
