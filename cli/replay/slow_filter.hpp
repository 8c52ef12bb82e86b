// `bellows replay slow`: the evaluations of one slow brain; docs/formats/replay.md has the format.
#pragma once

#include "autoscaler/slow/slow_brain.hpp"
#include "replay/filter.hpp"

namespace bellows::cli {

/// Pure. Owner: the command.
class SlowFilter : public replay::Filter {
 public:
  Result<void> take(const json::Object& line, std::string& out) override;

 private:
  replay::VirtualClock clock_;
  autoscaler::slow::SlowSpec spec_;
  autoscaler::slow::SlowState state_;
};

}  // namespace bellows::cli
