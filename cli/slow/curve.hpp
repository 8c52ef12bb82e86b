// Draws what a slow brain learned: latency, throughput and CPU over the requests in flight of a
// replica, with the bounds. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/slow/slow_brain.hpp"
#include "base/result.hpp"

namespace bellows::cli {

/// The response of /v1/revisions/NAME/slow (docs/formats/status.md).
struct LearnedPage {
  std::string service;
  std::string sentence;  ///< empty before the first evaluation
  double in_use = 0;     ///< the target that decisions use
  autoscaler::slow::SlowSpec spec;
  autoscaler::slow::SlowState state;
};
/// kMalformed names the field.
Result<LearnedPage> read_learned_page(std::string_view json);

/// Returns the sentence, a row per level of concurrency, and the bounds.
std::string learned_text(const LearnedPage& page);

/// Returns a picture of 900 x 720 without scripts: three curves with the bounds as vertical lines.
std::string learned_svg(const LearnedPage& page);

}  // namespace bellows::cli
