// The last lines that the apps of a service wrote. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::cluster {

/// One line of an app, as it is shown: printable, without its line break.
struct OutputLine {
  std::uint64_t number = 0;  ///< of the service, from 1 on
  WallTime at;
  PodName replica;
  bool is_error = false;  ///< of standard error
  std::string text;
};

/// Keeps the newest lines within kMaxBytes, their overhead included, so that a thousand services
/// cost 128 MB at most. Owner: a LocalRevision. Thread: the io thread.
class OutputTail {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{128} * 1024;
  static constexpr std::size_t kOverhead = sizeof(OutputLine);

  void add(WallTime at, const PodName& replica, bool is_error, std::string_view text);

  /// Returns the lines, oldest first.
  const std::deque<OutputLine>& lines() const { return lines_; }
  /// Returns the number of the newest line ever added; 0: none.
  std::uint64_t last_number() const { return last_number_; }

 private:
  std::deque<OutputLine> lines_;
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace bellows::cluster
