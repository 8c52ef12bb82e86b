// "Did you mean ...?", and what to write instead of the names of other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bellows::config {

/// Returns the candidate that `word` most probably misspells, or an empty text. It reads minScale,
/// MIN_SCALE and min_scale as min-scale; the edit distance is at most two, in short words one.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the first candidate that begins with the whole of `word`: resources-mode for
/// "resources".
std::string continuation(std::string_view word, const std::vector<std::string>& candidates);

/// Returns what to write instead of a name that other programs have: "want environment, a map of
/// NAME: value". Empty: the name is none of them.
std::string_view instead_of(std::string_view word);

}  // namespace bellows::config
