// Writes docs/settings.md: settings_page [FILE], or to standard output.
#include "base/sys/generated_file.hpp"
#include "config/settings_page.hpp"

int main(int argc, char** argv) {
  return bellows::sys::write_generated_file(argc, argv, bellows::config::settings_page());
}
