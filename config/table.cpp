#include "config/table.hpp"

#include <vector>

namespace bellows::config {

std::span<const Group> settings_table() {
  static const std::vector<Group> groups = [] {
    std::vector<Group> all;
    for (const auto chapter : {machine_groups(), cluster_groups(), server_groups(),
                               scaling_groups(), service_groups(), recommender_groups()}) {
      all.insert(all.end(), chapter.begin(), chapter.end());
    }
    return all;
  }();
  return groups;
}

Tier tier_of(std::string_view name) {
  Tier tier = Tier::kTuning;
  each_row([&](const Group&, const Setting& row) {
    if (row.name == name) tier = row.tier;
  });
  return tier;
}

}  // namespace bellows::config
