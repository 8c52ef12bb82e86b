// Every setting of every program, once. A program is a view of it: the rows that have the program,
// bound to the members of its struct (Schema::of).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "config/setting.hpp"

namespace bellows::config {

/// Returns the groups in the order of help and docs.
std::span<const Group> settings_table();

/// The chapters of the table, one source each.
std::span<const Group> machine_groups();
std::span<const Group> server_groups();
std::span<const Group> scaling_groups();
std::span<const Group> service_groups();
std::span<const Group> cluster_groups();
std::span<const Group> recommender_groups();

/// Calls `visit(group, row)` for each row, in order.
template <class Visit>
void each_row(Visit visit) {
  for (const Group& group : settings_table()) {
    for (const Setting& row : group.rows) visit(group, row);
  }
}

/// Returns the tier of the rows of that name.
Tier tier_of(std::string_view name);

constexpr Programs programs_of(const Group& group, const Setting& row) {
  return row.programs.is_empty() ? group.programs : row.programs;
}

}  // namespace bellows::config
