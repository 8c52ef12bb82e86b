// A comparison as a table for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "recommender/score/comparison.hpp"

namespace bellows::recommender::score {

/// Title and meaning of each column of rows_of().
struct Column {
  std::string title;
  std::string meaning;
};
const std::vector<Column>& score_columns();

/// One row per policy; the first cell is its name. "-" where there is no value.
std::vector<std::vector<std::string>> rows_of(const std::vector<PolicyResult>& entries);

/// A block per workload, one for the total, and the meaning of the columns.
/// "hybrid: lowest mean cost 0.90 (spike: 1.52), lowest on 11 of 16 workloads": the policy with the
/// lowest cost of all.
std::string score_verdict(const Comparison& comparison);

/// The entry with the lowest cost, as it is printed; nullptr: several have it, or there is none.
const PolicyResult* winner_of(const std::vector<PolicyResult>& entries);

std::string score_table(const Comparison& comparison);

/// One object, all numbers; docs/recommender.md has the members.
std::string score_json(const Comparison& comparison);

}  // namespace bellows::recommender::score
