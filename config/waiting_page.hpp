// The values of the setting waiting-page.
#pragma once

#include <string_view>

namespace bellows::config {

/// The page that Bellows has; any other value but an empty one is the path of a file.
inline constexpr std::string_view kBuiltInPage = "built-in";

}  // namespace bellows::config
