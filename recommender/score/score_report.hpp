// A comparison as one page of HTML with plots, which needs no other file.
#pragma once

#include <string>

#include "recommender/score/comparison.hpp"

namespace bellows::recommender::score {

/// The same comparison gives the same bytes.
std::string score_report(const Comparison& comparison);

}  // namespace bellows::recommender::score
