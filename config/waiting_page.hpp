// The values of the setting waiting-page.
#pragma once

#include <cstddef>
#include <string_view>

namespace bellows::config {

/// The built-in page; any other value but an empty one is the path of a file.
inline constexpr std::string_view kBuiltInPage = "built-in";

/// The limit of a page, which is kept in memory.
inline constexpr std::size_t kMaxPageBytes = 256 * 1024;

}  // namespace bellows::config
