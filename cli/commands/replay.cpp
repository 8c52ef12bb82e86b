// bellows replay: the deciding code as a filter of JSON lines.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/triggers/trigger_replay.hpp"
#include "cli/commands.hpp"
#include "cli/replay/decisions_filter.hpp"
#include "cli/replay/replay_settings.hpp"
#include "cli/replay/slow_filter.hpp"
#include "cli/replay/windows_filter.hpp"
#include "command/input.hpp"
#include "replay/io/run_filter.hpp"

namespace bellows::cli {

namespace {

/// Runs the filter over FILE or standard input.
int run_over_file(const Invocation& invocation, replay::Filter& filter) {
  const auto& files = invocation.arguments.positional;
  if (files.size() > 1 || !invocation.arguments.rest.empty())
    return usage_error(invocation, "want at most one FILE");
  const bool is_standard_input = files.empty() || files.front() == command::kStandardInput;
  return replay::run_filter(command::full_name(invocation), filter,
                            is_standard_input ? std::nullopt : std::optional(files.front()));
}

/// Does the same for a command without flags.
int run_without_flags(const Invocation& invocation, replay::Filter& filter) {
  const config::Layer& flags = invocation.arguments.flags();
  if (flags.empty()) return run_over_file(invocation, filter);
  return usage_error(invocation, "--" + flags.front().key + ": unknown flag");
}

/// Reads flags and FILE, then runs the filter that `make` makes from the settings.
template <class Make>
int run_filter_of(const Invocation& invocation, Make make) {
  const auto settings = replay_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  auto filter = make(*settings);
  return run_over_file(invocation, filter);
}

}  // namespace

int replay_triggers(const Invocation& invocation) {
  autoscaler::triggers::TriggerReplay filter;
  return run_without_flags(invocation, filter);
}

int replay_windows(const Invocation& invocation) {
  return run_filter_of(
      invocation, [](const ReplaySettings& settings) { return WindowsFilter(settings.profile); });
}

int replay_slow(const Invocation& invocation) {
  SlowFilter filter;
  return run_without_flags(invocation, filter);
}

int replay_decisions(const Invocation& invocation) {
  const auto settings = replay_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  DecisionsFilter filter(settings->profile);
  const int code = run_over_file(invocation, filter);
  const bool is_profile_given =
      std::ranges::any_of(invocation.arguments.flags(),
                          [](const config::Entry& entry) { return entry.key == "profile"; });
  if (is_profile_given && filter.line_with_profile() > 0) {
    std::cerr << command::full_name(invocation) << ": --profile has no effect from line "
              << filter.line_with_profile() << " on, whose spec names the profile\n";
  }
  return code;
}

}  // namespace bellows::cli
