// A Directory that joins what a test tells it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/core/revision_list.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {

inline constexpr std::string_view kDeployments = "apps/Deployment";

/// A Directory whose Deployments are listed, and the list that is made of what it joins.
class Joined : public testing::Test {
 protected:
  Joined() { directory.kind_known(kDeployments, {}); }

  Directory::Joined refresh(Duration after = std::chrono::seconds(10)) {
    const Clocks clocks{.now = TimePoint(std::chrono::seconds(100) + after),
                        .wall = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) +
                                         std::chrono::hours(1) + after)};
    Directory::Joined joined = directory.refresh(clocks);
    for (const auto& each : joined.revisions) list.put(each);
    for (const RevisionId& id : joined.removed) list.erase(id);
    return joined;
  }
  void add_web(const test::DeploymentText& text = {}) {
    directory.revision_changed(nullptr, test::revision());
    directory.target_changed(kDeployments, nullptr, test::deployment(text));
  }
  std::vector<std::string> names(const RevisionId& id = test::kWeb) {
    std::vector<std::string> all;
    const RevisionPtr listed = list.find(id);
    if (!listed) return {"not listed"};
    for (const ReplicaPtr& replica : listed->replicas) all.push_back(replica->name.text());
    return all;
  }
  std::string reasons(const RevisionId& id = test::kWeb) {
    std::string all;
    for (const Finding& finding : directory.find(id)->findings) {
      if (finding.reason == kServiceNotFound) continue;
      all += (all.empty() ? "" : " ") + finding.reason;
    }
    return all;
  }
  std::vector<std::string> idle(const RevisionId& id = test::kWeb) {
    std::vector<std::string> names;
    for (const auto& each : directory.find(id)->standing().without_effect)
      names.push_back(each.setting);
    return names;
  }
  std::string message(std::string_view reason, const RevisionId& id = test::kWeb) {
    const Standing standing = directory.find(id)->standing();
    const Finding* finding = standing.find(reason);
    return finding == nullptr ? "" : finding->message;
  }

  Directory directory;
  RevisionList list;
};

}  // namespace bellows::cluster
