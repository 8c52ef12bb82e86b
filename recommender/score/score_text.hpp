// A comparison as a table for a terminal and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "recommender/score/comparison.hpp"
#include "report/comparison_table.hpp"

namespace bellows::recommender::score {

/// Returns the columns of rows_of().
std::span<const report::Measure> score_columns();

/// Returns one row per policy; the first cell is its name. "-" is a missing value.
report::Rows rows_of(const std::vector<PolicyResult>& entries);

/// Returns a sentence about the policy with the lowest cost of all: "hybrid: lowest mean cost 0.90
/// (spike: 1.52), lowest on 11 of 16 workloads".
std::string score_verdict(const Comparison& comparison);

/// Returns the entry with the lowest cost, as it is printed; nullptr if several have it, or if
/// there is none.
const PolicyResult* winner_of(const std::vector<PolicyResult>& entries);

/// Returns a block per workload, one for the total, and the meaning of the columns.
std::string score_table(const Comparison& comparison);

/// Returns one object with all numbers; docs/recommender.md has the members.
std::string score_json(const Comparison& comparison);

}  // namespace bellows::recommender::score
