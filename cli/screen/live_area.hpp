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

/// What standard output can do.
struct Terminal {
  bool is_interactive = false;  ///< a terminal, and TERM is not "dumb"
  bool has_colour = false;      ///< interactive and NO_COLOR is unset (no-color.org)
  std::size_t width = 80;
};
Terminal detect_terminal();

/// Nothing is drawn unless the terminal is interactive; log lines then go to standard error as they
/// are. A terminal that takes nothing (Ctrl-S) makes nobody wait: it is drawn again once it has
/// taken what came before, kMaxKept of lines are kept for it, and further ones are counted and
/// told. Thread: the io thread. One per program.
class LiveArea {
 public:
  static constexpr std::size_t kMaxKept = std::size_t{64} * 1024;
  static constexpr Duration kLastWait = std::chrono::seconds(1);

  /// `screen` is standard output; it stays open and outlives it.
  explicit LiveArea(Terminal terminal, int screen = kStandardOutput);
  ~LiveArea();
  LiveArea(const LiveArea&) = delete;
  LiveArea& operator=(const LiveArea&) = delete;

  /// Replaces what is drawn. Lines wider than the terminal are cut.
  void draw(std::vector<std::string> lines);
  /// Prints `line` above the area.
  void print_above(std::string_view line);
  /// Takes the area off the screen.
  void clear();

  const Terminal& terminal() const { return terminal_; }

 private:
  static constexpr int kStandardOutput = 1;

  bool catches_up();
  void put(std::string_view text);
  std::string erase_sequence() const;
  std::string drawn() const;

  const Terminal terminal_;
  sys::NonBlockingOutput screen_;
  std::vector<std::string> lines_;
  std::string kept_;  // what the terminal has not taken yet
  std::uint64_t dropped_ = 0;
};

/// `text` cut to `width` cells.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace bellows::cli
