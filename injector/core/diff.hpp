// The difference of two texts, as patch(1) reads it.
#pragma once

#include <string>
#include <string_view>

namespace bellows::injector {

/// A unified diff with three lines of context, headed by `file` before and after; empty if the
/// texts are equal. Quick where few lines differ.
std::string unified_diff(std::string_view file, std::string_view before, std::string_view after);

}  // namespace bellows::injector
