#include "base/sys/generated_file.hpp"

#include <iostream>

#include "base/sys/file.hpp"

namespace bellows::sys {

int write_generated_file(int argc, char** argv, std::string_view content) {
  if (argc < 2) {
    std::cout << content;
    return 0;
  }
  const std::string_view argument = argv[1];
  if (argc > 2 || argument.starts_with('-')) {
    const bool is_help = argument == "--help" || argument == "-h";
    (is_help ? std::cout : std::cerr) << "usage: " << argv[0] << " [FILE]\n";
    return is_help ? 0 : 2;
  }
  const auto written = replace_file(argv[1], content);
  if (written) return 0;
  std::cerr << to_string(written.error()) << '\n';
  return 1;
}

}  // namespace bellows::sys
