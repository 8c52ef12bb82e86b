#include <algorithm>

#include "cli/command.hpp"

namespace bellows::cli {

Arguments split_arguments(std::span<const std::string> behind_name) {
  Arguments arguments;
  auto at = behind_name.begin();
  const auto end = std::find(at, behind_name.end(), "--");
  while (at != end && !at->starts_with('-')) arguments.words.push_back(*at++);
  for (; at != end; ++at) arguments.flags.push_back(*at == "-o" ? "--output" : *at);
  if (end != behind_name.end()) arguments.rest.assign(std::next(end), behind_name.end());
  return arguments;
}

}  // namespace bellows::cli
