// The demonstration as a story: what visitors do, when, and what is said about it.
#pragma once

#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::cli {

/// One chapter. They follow each other; each ends when its time is over and its visitors have been
/// answered.
struct Chapter {
  std::string_view title;
  std::string_view words;  ///< what to watch for
  int visitors = 0;        ///< who ask again and again; 1: a single request
  Duration lasts{};        ///< zero: until the service is back at zero
};

/// Quiet, one request, a burst, silence.
const std::vector<Chapter>& demo_story();

}  // namespace bellows::cli
