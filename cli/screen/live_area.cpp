#include "cli/screen/live_area.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace bellows::cli {

namespace {

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

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

LiveArea::LiveArea(Terminal terminal) : terminal_(terminal) {}

LiveArea::~LiveArea() {
  clear();
}

void LiveArea::draw(std::vector<std::string> lines) {
  if (!terminal_.is_interactive) return;
  const std::string erase = erase_sequence();
  lines_ = std::move(lines);
  for (std::string& line : lines_) line = cut_to_width(line, terminal_.width - 1);
  write_all(STDOUT_FILENO, erase + drawn());
}

void LiveArea::print_above(std::string_view line) {
  if (lines_.empty()) {
    write_all(STDERR_FILENO, std::string(line) + "\n");
    return;
  }
  write_all(STDOUT_FILENO, erase_sequence() + std::string(line) + "\n" + drawn());
}

void LiveArea::clear() {
  if (lines_.empty()) return;
  write_all(STDOUT_FILENO, erase_sequence());
  lines_.clear();
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
