// Computes trigger decisions from lines of JSON: the core of `bellows replay triggers`
// (docs/formats/replay.md).
#pragma once

#include <optional>
#include <string>

#include "autoscaler/triggers/trigger_engine.hpp"
#include "replay/filter.hpp"

namespace bellows::autoscaler::triggers {

/// One scheduler in virtual time. It assumes that each change takes effect at once, and starts the
/// cooldown. Pure. Owner: the command.
class TriggerReplay final : public replay::Filter {
 public:
  Result<void> take(const json::Object& line, std::string& out) override;

 private:
  Result<void> configure(const json::Object& line);
  Result<void> tick(const json::Object& line, std::string& out);

  std::optional<Config> config_;
  Memory memory_;
  replay::VirtualClock clock_;
};

/// Returns the line format, for --help.
std::string trigger_replay_help();

}  // namespace bellows::autoscaler::triggers
