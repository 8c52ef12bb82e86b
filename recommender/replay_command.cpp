// recommender replay: prints recommendations for lines of recorded usage.
#include <iostream>
#include <optional>
#include <string>

#include "command/input.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/commands.hpp"
#include "recommender/replay/recommender_filter.hpp"
#include "replay/io/run_filter.hpp"

namespace bellows::recommender {

int run_replay(const Invocation& invocation) {
  const auto& flags = invocation.arguments.flags();
  const auto settings = config::recommender_schema().apply({flags});
  if (!settings) return usage_error(invocation, settings.error());
  const auto& files = invocation.arguments.positional;
  if (files.size() > 1) return usage_error(invocation, "want at most one FILE");
  const std::string name = command::full_name(invocation);
  RecommenderFilter filter(flags, [&name](const std::string& warning) {
    std::cerr << name << ": warning: " << warning << "\n";
  });
  const bool is_standard_input = files.empty() || files.front() == command::kStandardInput;
  return replay::run_filter(name, filter,
                            is_standard_input ? std::nullopt : std::optional(files.front()));
}

}  // namespace bellows::recommender
