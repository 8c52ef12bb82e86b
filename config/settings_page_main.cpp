// Writes docs/settings.md: settings_page FILE, or to standard output.
#include <fstream>
#include <iostream>

#include "config/settings_page.hpp"

int main(int argc, char** argv) {
  const std::string page = bellows::config::settings_page();
  if (argc < 2) {
    std::cout << page;
    return 0;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << page;
  file.close();
  if (file) return 0;
  std::cerr << argv[1] << ": cannot be written\n";
  return 1;
}
