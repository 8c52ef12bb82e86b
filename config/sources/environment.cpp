#include "config/sources/environment.hpp"

#include <unistd.h>

#include <string_view>

namespace bellows::config {

Environment read_environment() {
  Environment variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    // If a variable occurs twice the first one counts, as with getenv().
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string runtime_folder() {
  const Environment all = read_environment();
  const auto found = all.find("XDG_RUNTIME_DIR");
  return found == all.end() ? "" : found->second;
}

std::string state_folder() {
  const Environment all = read_environment();
  const auto found = all.find("XDG_STATE_HOME");
  if (found != all.end() && found->second.starts_with('/')) return found->second + "/bellows";
  const auto home = all.find("HOME");
  return (home == all.end() ? "/tmp" : home->second + "/.local/state") + "/bellows";
}

}  // namespace bellows::config
