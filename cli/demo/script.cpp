#include "cli/demo/script.hpp"

namespace bellows::cli {

const std::vector<Phase>& demo_script() {
  using namespace std::chrono_literals;
  static const std::vector<Phase> script = {
      {"idle", "no requests: no replica, no process", 0, 4s},
      {"one request", "it is held while the first replica starts, then forwarded", 1, 5s},
      {"burst",
       "300 concurrent clients, each sending its next request immediately after a response", 300,
       15s},
      {"idle again",
       "no more requests: the stable window empties, then the grace period, then zero", 0, 0s},
  };
  return script;
}

}  // namespace bellows::cli
