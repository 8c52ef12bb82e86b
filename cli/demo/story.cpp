#include "cli/demo/story.hpp"

namespace bellows::cli {

const std::vector<Chapter>& demo_story() {
  using namespace std::chrono_literals;
  static const std::vector<Chapter> story = {
      {"quiet", "nobody calls: no replica, no process", 0, 4s},
      {"one request", "it is held while the first replica starts, then answered", 1, 5s},
      {"burst", "300 visitors at once, each asking again as soon as it was answered", 300, 15s},
      {"silence", "everybody has left: the stable window empties, then the grace time, then zero",
       0, 0s},
  };
  return story;
}

}  // namespace bellows::cli
