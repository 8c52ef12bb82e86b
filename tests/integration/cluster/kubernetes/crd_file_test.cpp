#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cluster/kubernetes/core/crd.hpp"
#include "cluster/kubernetes/core/settings.hpp"
#include "config/revision_schema.hpp"

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

/// A row of tests/kubernetes/rules.txt, which rules_test.py gives to a real server.
struct Pair {
  bool is_valid = false;
  Texts scaling;
};

std::vector<Pair> pairs() {
  std::ifstream file(std::filesystem::path(BELLOWS_SOURCE_DIR) / "tests/kubernetes/rules.txt");
  std::vector<Pair> found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string verdict;
    words >> verdict;
    Pair pair{.is_valid = verdict == "valid", .scaling = {}};
    for (std::string word; words >> word;) {
      const std::size_t at = word.find('=');
      pair.scaling.emplace_back(word.substr(0, at), word.substr(at + 1));
    }
    found.push_back(std::move(pair));
  }
  return found;
}

TEST(PairsOfSettings, AreTakenByTheAutoscalerAsTheTableSays) {
  const std::vector<Pair> all = pairs();
  EXPECT_GT(all.size(), 20U);
  for (const auto& [is_valid, scaling] : all) {
    const SettingsRead read = read_settings({.target = "Deployment web",
                                             .template_annotations = {},
                                             .target_annotations = {},
                                             .scaling = scaling});
    EXPECT_EQ(read.settings.has_value(), is_valid)
        << scaling.front().first << " " << problems_line(read.problems);
  }
}

TEST(PairsOfSettings, HaveAValidAndAnInvalidRowForEachRuleInCel) {
  for (const config::LayoutRule& rule : config::revision_schema().rules()) {
    if (rule.cel.empty()) continue;
    bool has_valid = false;
    bool has_invalid = false;
    for (const Pair& pair : pairs()) {
      const auto has = [&](const std::string& name) {
        return std::ranges::find(pair.scaling, config::camel_case(name),
                                 &Texts::value_type::first) != pair.scaling.end();
      };
      if (!std::ranges::all_of(rule.settings, has)) continue;
      (pair.is_valid ? has_valid : has_invalid) = true;
    }
    EXPECT_TRUE(has_valid && has_invalid) << rule.want;
  }
}

}  // namespace
}  // namespace bellows::cluster
