#include "cli/machine/beside_this_program.hpp"

#include <filesystem>

namespace bellows::cli {

std::string beside_this_program(const std::string& name) {
  std::error_code unreadable;  // without /proc: look in PATH
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  return unreadable ? name : (self.parent_path() / name).string();
}

}  // namespace bellows::cli
