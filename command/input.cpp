#include "command/input.hpp"

#include <array>
#include <cerrno>
#include <iostream>

#include "base/sys/file.hpp"

namespace bellows::command {

namespace {

Result<std::string> read_standard_input(std::string_view what) {
  errno = 0;
  std::string text;
  std::array<char, 64 * 1024> part{};
  while (std::cin.read(part.data(), part.size()) || std::cin.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
  }
  if (std::cin.bad()) {
    return fail(system_error(std::string(what) + " standard input", "cannot be read", errno));
  }
  return text;
}

}  // namespace

std::string input_name(const std::string& file) {
  return file == kStandardInput ? "standard input" : file;
}

Result<std::string> read_input(const std::string& file, std::string_view what) {
  if (file == kStandardInput) return read_standard_input(what);
  return sys::read_whole_file(file, what);
}

}  // namespace bellows::command
