// The last lines of a terminal, redrawn in place, with log lines scrolling by above them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/non_blocking_output.hpp"
#include "base/time.hpp"

namespace bellows::cli {

/// The capabilities of standard output.
struct Terminal {
  bool is_interactive = false;  ///< a terminal, and TERM is not "dumb"
  bool has_colour = false;      ///< interactive and NO_COLOR is unset (no-color.org)
  std::size_t width = 80;
};
Terminal detect_terminal();

/// Draws only on an interactive terminal; otherwise log lines go to standard error unchanged. A
/// terminal that accepts no output (Ctrl-S) does not block the program: up to kMaxBacklog bytes of
/// lines are buffered, further lines are dropped and counted, and the area is redrawn after the
/// terminal has caught up. Thread: the io thread. One per program.
class LiveArea {
 public:
  static constexpr std::size_t kMaxBacklog = std::size_t{64} * 1024;
  static constexpr Duration kLastWait = std::chrono::seconds(1);

  /// `screen` is a descriptor, standard output by default, that stays open for the lifetime.
  explicit LiveArea(Terminal terminal, int screen = kStandardOutput);
  ~LiveArea();
  LiveArea(const LiveArea&) = delete;
  LiveArea& operator=(const LiveArea&) = delete;

  /// Replaces the area. Lines wider than the terminal are truncated.
  void draw(std::vector<std::string> lines);
  /// Prints `line` above the area.
  void print_above(std::string_view line);
  /// Removes the area from the screen.
  void clear();

  const Terminal& terminal() const { return terminal_; }

 private:
  static constexpr int kStandardOutput = 1;

  bool flush_backlog();
  void put(std::string_view text);
  std::string erase_sequence() const;
  std::string area_text() const;

  const Terminal terminal_;
  sys::NonBlockingOutput screen_;
  std::vector<std::string> lines_;
  std::string backlog_;  // output that the terminal has not accepted yet
  std::uint64_t dropped_ = 0;
};

/// Returns the first `width` cells of `text`.
std::string truncate_to_width(std::string_view text, std::size_t width);

}  // namespace bellows::cli
