// A comparison as a table for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "recommender/score/comparison.hpp"

namespace bellows::recommender::score {

/// Titles of the columns of rows_of(), and what each means, in a few words.
struct Column {
  std::string title;
  std::string meaning;
};
const std::vector<Column>& score_columns();

/// One row per policy; the first cell is its name. "-" where there is nothing to say.
std::vector<std::vector<std::string>> rows_of(const std::vector<Entry>& entries);

/// A block per workload, one for all together, and what the columns mean.
std::string score_table(const Comparison& comparison);

/// One object, all numbers; docs/recommender.md has the members.
std::string score_json(const Comparison& comparison);

}  // namespace bellows::recommender::score
