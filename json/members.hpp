// Finds members of a line of JSON without reading the rest: for logs of gigabytes.
#pragma once

#include <span>
#include <string_view>

namespace bellows::json {

/// A top-level member that is looked for.
struct Member {
  std::string_view key;
  std::string_view value;  ///< as written, a text with its quotes; empty: the object has none
};

/// Fills in the values of `wanted` (of equal keys the last) and returns true if `line` is one whole
/// object. Only its structure is checked: texts that end, brackets that match, a colon after each
/// key. Values are within `line`. For everything else there is json/object.hpp.
bool find_members(std::string_view line, std::span<Member> wanted);

/// Returns the content of a text without escapes, or the value itself if it is none: "12" as 12.
std::string_view without_quotes(std::string_view value);

}  // namespace bellows::json
