#include "cluster/local/output_tail.hpp"

namespace bellows::cluster {

void OutputTail::add(WallTime at, const PodName& replica, bool is_error, std::string_view text) {
  lines_.push_back({.number = ++last_number_,
                    .at = at,
                    .replica = replica,
                    .is_error = is_error,
                    .text = std::string(text)});
  bytes_ += text.size() + kOverhead;
  while (bytes_ > kMaxBytes) {
    bytes_ -= lines_.front().text.size() + kOverhead;
    lines_.pop_front();
  }
}

}  // namespace bellows::cluster
