// The files of the live page, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace bellows::web {

struct Asset {
  std::string_view path;  ///< path in the URL: "/ui/page.js"
  std::string_view content_type;
  std::string_view tag;     ///< changes with the content
  std::string_view plain;   ///< the content
  std::string_view packed;  ///< the same in gzip
};

/// Returns all files; a source that embed.py writes defines it.
std::span<const Asset> assets();

}  // namespace bellows::web
