// The last lines of a terminal, redrawn in place, with log lines scrolling by above them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bellows::cli {

/// What standard output can do.
struct Terminal {
  bool is_interactive = false;  ///< a terminal, and TERM is not "dumb"
  bool has_colour = false;      ///< interactive and NO_COLOR is unset (no-color.org)
  std::size_t width = 80;
};
Terminal detect_terminal();

/// Nothing is drawn unless the terminal is interactive; log lines then go to standard error as they
/// are. Thread: the io thread. One per program.
class LiveArea {
 public:
  explicit LiveArea(Terminal terminal);
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
  std::string erase_sequence() const;
  std::string drawn() const;

  const Terminal terminal_;
  std::vector<std::string> lines_;
};

/// `text` cut to `width` cells.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace bellows::cli
