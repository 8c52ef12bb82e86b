// Instants of a scene as a clock shows them.
#pragma once

#include <string>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::explain::test {

/// The second of the story, on a clock that shows 14:00:00 at its beginning.
inline std::string clock_text(TimePoint instant) {
  using autoscaler::test::at;
  const auto second =
      std::chrono::duration_cast<std::chrono::seconds>(instant - at(0)).count() + 3600;
  std::string text = "14:00:00";
  text[1] = static_cast<char>('3' + second / 3600);
  text[3] = static_cast<char>('0' + second / 600 % 6);
  text[4] = static_cast<char>('0' + second / 60 % 10);
  text[6] = static_cast<char>('0' + second / 10 % 6);
  text[7] = static_cast<char>('0' + second % 10);
  return text;
}

}  // namespace bellows::autoscaler::explain::test
