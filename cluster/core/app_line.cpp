#include "cluster/core/app_line.hpp"

#include <algorithm>

namespace bellows::cluster {

namespace {

/// JSON needs no escapes for it.
constexpr std::string_view kMark = ", last line: ";

/// Returns where the string that `page` has at `at` ends: at its quote, or with the page.
std::size_t end_of_string(std::string_view page, std::size_t at) {
  while (at < page.size() && page[at] != '"' && page[at] != '\n') at += page[at] == '\\' ? 2 : 1;
  return std::min(at, page.size());
}

}  // namespace

std::string with_app_line(std::string how, std::string_view line) {
  return how.append(kMark).append(line);
}

void withhold_app_lines(std::string& page) {
  for (std::size_t at = page.find(kMark); at != std::string::npos; at = page.find(kMark, at)) {
    page.erase(at, end_of_string(page, at) - at);
  }
}

}  // namespace bellows::cluster
