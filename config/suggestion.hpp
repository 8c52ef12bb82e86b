// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bellows::config {

/// The candidate that `word` most probably misspells, or an empty text. minScale, MIN_SCALE and
/// min_scale all lead to min-scale; otherwise up to two slips are forgiven, one in short words
/// (a letter wrong, missing, too many, or two swapped).
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// The first candidate that begins with `word` as a whole: "resources" leads to resources-mode.
std::string continuation(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace bellows::config
