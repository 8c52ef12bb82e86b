#include "cli/machine/sibling_program.hpp"

#include <filesystem>

namespace bellows::cli {

std::string sibling_program(const std::string& name) {
  std::error_code unreadable;  // without /proc the name is looked up in PATH
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  return unreadable ? name : (self.parent_path() / name).string();
}

}  // namespace bellows::cli
