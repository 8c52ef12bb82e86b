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

/// Returns the one of `names` that the name of a revision begins with: "web" of "web-00002"; empty:
/// it is not such a name.
inline std::string_view named_by_revision(std::string_view revision,
                                          const std::vector<std::string>& names) {
  const std::size_t dash = revision.rfind('-');
  constexpr std::size_t kDigits = 5;
  if (dash == std::string_view::npos || revision.size() < dash + 1 + kDigits) return {};
  if (revision.find_first_not_of("0123456789", dash + 1) != std::string_view::npos) return {};
  for (const std::string& name : names) {
    if (name == revision.substr(0, dash)) return name;
  }
  return {};
}

/// Returns the error about an unknown name: `service "nope": there is none; want one of: shop,
/// web`. `noun`: of what has names. Of a service's revision: it is none that runs.
inline Error unknown_name(std::string_view noun, std::string_view name,
                          const std::vector<std::string>& names) {
  const std::string service(named_by_revision(name, names));
  if (!service.empty()) {
    return {ErrorKind::kNotFound, "revision \"" + std::string(name) + "\"",
            "no such revision of " + service + " runs; want " + service +
                ", or one that `bellows revisions " + service + "` lists as running"};
  }
  return {ErrorKind::kNotFound, std::string(noun) + " \"" + std::string(name) + "\"",
          "there is none; want one of: " + name_list(names)};
}

}  // namespace bellows
