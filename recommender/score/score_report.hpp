// A comparison as one page of HTML with plots, which needs no other file.
#pragma once

#include <string>

#include "recommender/score/comparison.hpp"
#include "report/made_by.hpp"

namespace bellows::recommender::score {

/// Returns the page. The same arguments return the same bytes.
std::string score_report(const Comparison& comparison, const report::MadeBy& made = {});

}  // namespace bellows::recommender::score
