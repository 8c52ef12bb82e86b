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

}  // namespace bellows::config
