#include "base/sys/sibling_program.hpp"

#include <filesystem>

namespace bellows::sys {

std::string sibling_program(const std::string& name) {
  std::error_code error;  // without /proc the name is looked up in PATH
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return name;
  const std::filesystem::path folder = self.parent_path();
  const std::filesystem::path installed = folder.parent_path() / "libexec" / "bellows" / name;
  const bool is_beside = std::filesystem::exists(folder / name, error);
  const bool is_installed = !is_beside && std::filesystem::exists(installed, error);
  return (is_installed ? installed : folder / name).string();
}

}  // namespace bellows::sys
