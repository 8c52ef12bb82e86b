#include "cli/screen/live_area.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::cli {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

Terminal detect_terminal() {
  Terminal terminal;
  terminal.is_interactive = ::isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb";
  terminal.has_colour = terminal.is_interactive && environment("NO_COLOR").empty();
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.width = size.ws_col;
  return terminal;
}

LiveArea::LiveArea(Terminal terminal, int screen) : terminal_(terminal), screen_(screen) {}

LiveArea::~LiveArea() {
  clear();
  if (!catches_up()) screen_.wait_for_room(kLastWait);
  catches_up();
}

void LiveArea::draw(std::vector<std::string> lines) {
  if (!terminal_.is_interactive || !catches_up()) return;
  const std::string erase = erase_sequence();
  lines_ = std::move(lines);
  for (std::string& line : lines_) line = cut_to_width(line, terminal_.width - 1);
  put(erase + drawn());
}

void LiveArea::print_above(std::string_view line) {
  if (lines_.empty()) {
    sys::log::to_standard_error(line);
    return;
  }
  if (!catches_up() && (dropped_ > 0 || kept_.size() >= kMaxKept)) {
    ++dropped_;
    return;
  }
  put(erase_sequence() + std::string(line) + "\n" + drawn());
}

void LiveArea::clear() {
  if (lines_.empty()) return;
  put(erase_sequence());
  lines_.clear();
}

/// Writes what is kept; true once nothing is.
bool LiveArea::catches_up() {
  kept_.erase(0, screen_.try_write(kept_));
  if (!kept_.empty()) return false;
  if (dropped_ == 0) return true;
  const std::string lines = std::to_string(std::exchange(dropped_, 0));
  put(erase_sequence() + lines + " log lines dropped: the terminal took nothing\n" + drawn());
  return kept_.empty();
}

void LiveArea::put(std::string_view text) {
  if (kept_.empty()) text.remove_prefix(screen_.try_write(text));
  kept_ += text;
}

std::string LiveArea::erase_sequence() const {
  if (lines_.empty()) return "";
  // To the first column, up to the first line of the area, and clear from there to the end of the
  // screen.
  std::string sequence = "\r";
  if (lines_.size() > 1) sequence += "\x1b[" + std::to_string(lines_.size() - 1) + "A";
  return sequence + "\x1b[J";
}

std::string LiveArea::drawn() const {
  std::string text;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (i > 0) text += "\n";
    text += lines_[i];
  }
  return text;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  std::string cut;
  std::size_t cells = 0;
  bool in_escape = false;
  for (const char c : text) {
    const bool starts_cell = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (c == '\x1b') in_escape = true;
    if (!in_escape && starts_cell && ++cells > width) break;
    if (in_escape && c == 'm') in_escape = false;
    cut += c;
  }
  return cut;
}

}  // namespace bellows::cli
