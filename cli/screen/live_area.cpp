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
  if (!flush_backlog()) screen_.wait_for_room(kLastWait);
  flush_backlog();
}

void LiveArea::draw(std::vector<std::string> lines) {
  if (!terminal_.is_interactive || !flush_backlog()) return;
  const std::string erase = erase_sequence();
  lines_ = std::move(lines);
  for (std::string& line : lines_) line = truncate_to_width(line, terminal_.width - 1);
  put(erase + area_text());
}

void LiveArea::print_above(std::string_view line) {
  if (lines_.empty()) {
    sys::log::to_standard_error(line);
    return;
  }
  if (!flush_backlog() && (dropped_ > 0 || backlog_.size() >= kMaxBacklog)) {
    ++dropped_;
    return;
  }
  put(erase_sequence() + std::string(line) + "\n" + area_text());
}

void LiveArea::clear() {
  if (lines_.empty()) return;
  put(erase_sequence());
  lines_.clear();
}

/// Writes as much of the backlog as the terminal accepts. Returns true if all of it is written.
bool LiveArea::flush_backlog() {
  backlog_.erase(0, screen_.try_write(backlog_));
  if (!backlog_.empty()) return false;
  if (dropped_ == 0) return true;
  const std::string count = std::to_string(std::exchange(dropped_, 0));
  put(erase_sequence() + count + " log lines dropped: the terminal accepted no output\n" +
      area_text());
  return backlog_.empty();
}

void LiveArea::put(std::string_view text) {
  if (backlog_.empty()) text.remove_prefix(screen_.try_write(text));
  backlog_ += text;
}

std::string LiveArea::erase_sequence() const {
  if (lines_.empty()) return "";
  // Moves to the first column, up to the first line of the area, and clears from there to the end
  // of the screen.
  std::string sequence = "\r";
  if (lines_.size() > 1) sequence += "\x1b[" + std::to_string(lines_.size() - 1) + "A";
  return sequence + "\x1b[J";
}

std::string LiveArea::area_text() const {
  std::string text;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (i > 0) text += "\n";
    text += lines_[i];
  }
  return text;
}

std::string truncate_to_width(std::string_view text, std::size_t width) {
  std::string result;
  std::size_t cells = 0;
  bool in_escape = false;
  for (const char c : text) {
    const bool starts_cell = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (c == '\x1b') in_escape = true;
    if (!in_escape && starts_cell && ++cells > width) break;
    if (in_escape && c == 'm') in_escape = false;
    result += c;
  }
  return result;
}

}  // namespace bellows::cli
