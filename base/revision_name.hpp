// The parts of a RevisionId. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/ids.hpp"

namespace bellows {

/// Maximum size of an id: a namespace (a DNS label), a slash and a name (a DNS name).
inline constexpr std::size_t kMaxRevisionBytes = 63 + 1 + 253;

/// "NAMESPACE/NAME" where the cluster has namespaces, else "NAME". Views of the id.
struct RevisionName {
  std::string_view name_space;  ///< empty: none
  std::string_view name;
};

inline RevisionName parts_of(const RevisionId& id) {
  const std::string_view text = id.text();
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {{}, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace bellows
