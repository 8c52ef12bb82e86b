// The difference of two texts in the format of patch(1).
#pragma once

#include <string>
#include <string_view>

namespace bellows::injector {

/// Returns a unified diff with three lines of context, headed by `file` before and after; empty if
/// the texts are equal. It is fast if few lines differ.
std::string unified_diff(std::string_view file, std::string_view before, std::string_view after);

}  // namespace bellows::injector
