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

std::vector<std::string> words_among(std::vector<config::Layer>& layers) {
  std::vector<std::string> words;
  for (config::Layer& layer : layers) {
    std::erase_if(layer, [&](const config::Entry& entry) {
      const bool is_word = entry.source == config::Source::kArgument && !entry.key.starts_with('-');
      if (is_word) words.push_back(entry.key);
      return is_word;
    });
  }
  return words;
}

}  // namespace bellows::cli
