// `bellows replay decisions`: the decisions of one revision; docs/formats/replay.md has the format.
#pragma once

#include <cstddef>

#include "autoscaler/journal/decision_replay.hpp"
#include "cli/replay/replay_settings.hpp"
#include "replay/filter.hpp"

namespace bellows::cli {

/// Pure. Owner: the command.
class DecisionsFilter : public replay::Filter {
 public:
  explicit DecisionsFilter(ReplayProfile profile);

  Result<void> take(const json::Object& line, std::string& out) override;

  /// Returns the first line whose spec names a profile; 0: none.
  std::size_t line_with_profile() const { return line_with_profile_; }

 private:
  std::size_t line_with_profile_ = 0;
  autoscaler::journal::DecisionReplay replay_;
};

/// Returns the line format, for `bellows replay decisions --help`.
std::string decisions_help();

}  // namespace bellows::cli
