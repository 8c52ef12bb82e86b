// The files of the live page, within the program.
#pragma once

#include <span>
#include <string_view>

namespace bellows::web {

struct Asset {
  std::string_view path;  ///< in the URL: "/ui/page.js"
  std::string_view content_type;
  std::string_view tag;     ///< changes with the content
  std::string_view plain;   ///< the content
  std::string_view packed;  ///< the same by gzip
};

/// Defined in a source that embed.py writes.
std::span<const Asset> assets();

}  // namespace bellows::web
