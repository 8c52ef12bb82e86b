// The valid names that a message lists after an unknown one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace bellows {

/// Returns "shop, web and 3 more", or "none" for an empty list.
inline std::string name_list(const std::vector<std::string>& names, std::size_t most = 8) {
  if (names.empty()) return "none";
  std::string text;
  const std::size_t shown = names.size() <= most + 1 ? names.size() : most;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

/// Returns the error about an unknown name: `service "nope": there is none; want one of: shop,
/// web`. `noun`: of what has names.
inline Error unknown_name(std::string_view noun, std::string_view name,
                          const std::vector<std::string>& names) {
  return {ErrorKind::kNotFound, std::string(noun) + " \"" + std::string(name) + "\"",
          "there is none; want one of: " + name_list(names)};
}

}  // namespace bellows
