// Splits the bytes of a pipe into lines. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace bellows::cluster {

/// Lines end with '\n' (a '\r' before it is dropped). A longer line than kMaxBytes arrives in
/// pieces of that size, so a child that never ends its line costs no more memory than that.
class LineSplitter {
 public:
  static constexpr std::size_t kMaxBytes = 16 * 1024;

  /// Calls take(std::string_view) for each line that `bytes` completes; the view is valid during
  /// the call.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    while (!bytes.empty()) {
      const std::size_t newline = bytes.find('\n');
      const std::size_t room = kMaxBytes - rest_.size();
      const bool ends = newline != std::string_view::npos && newline <= room;
      const std::size_t length = ends ? newline : std::min(bytes.size(), room);
      rest_.append(bytes.substr(0, length));
      bytes.remove_prefix(ends ? length + 1 : length);
      if (ends || rest_.size() == kMaxBytes) hand_over(take);
    }
  }

  /// Takes what is left when the pipe ends without a newline.
  template <class Take>
  void finish(Take&& take) {
    if (!rest_.empty()) hand_over(take);
  }

 private:
  template <class Take>
  void hand_over(Take& take) {
    std::string line;
    line.swap(rest_);  // `take` may destroy this splitter
    if (line.ends_with('\r')) line.pop_back();
    take(std::string_view(line));
  }

  std::string rest_;
};

}  // namespace bellows::cluster
