// `recommender score`: policies on workloads, as a table, as JSON and as a page.
#pragma once

#include <vector>

#include "config/field.hpp"
#include "config/layer.hpp"

namespace bellows::recommender {

/// What the command understands: its own settings, and those of the policies.
const std::vector<config::Declaration>& score_declarations();

/// Reads files, prints to standard output, tells progress on standard error. The exit code: 0 good,
/// 1 a file cannot be read or written, 2 it was asked wrongly.
int run_score(const config::Layer& flags);

}  // namespace bellows::recommender
