#include "command/input.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>

#include "base/sys/file.hpp"

namespace bellows::command {

namespace {

Result<void> read_stream(std::istream& in, const std::string& name,
                         const std::function<Result<void>(std::string_view)>& use) {
  std::array<char, 64 * 1024> part{};
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    BELLOWS_CHECKED(use({part.data(), static_cast<std::size_t>(in.gcount())}));
  }
  if (in.bad()) return fail(system_error(name, "cannot be read", errno));
  return {};
}

}  // namespace

std::string input_name(const std::string& file) {
  return file == kStandardInput ? "standard input" : file;
}

Result<std::string> read_input(const std::string& file, std::string_view what) {
  if (file != kStandardInput) return sys::read_whole_file(file, what);
  std::string text;
  BELLOWS_CHECKED(read_input_in_chunks(file, what, [&text](std::string_view part) {
    text += part;
    return Result<void>();
  }));
  return text;
}

Result<void> read_input_in_chunks(const std::string& file, std::string_view what,
                                  const std::function<Result<void>(std::string_view)>& use) {
  const std::string name = std::string(what) + " " + input_name(file);
  errno = 0;
  if (file == kStandardInput) return read_stream(std::cin, name, use);
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(system_error(name, "cannot be opened", errno));
  return read_stream(in, name, use);
}

}  // namespace bellows::command
