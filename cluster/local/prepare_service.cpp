#include "cluster/local/prepare_service.hpp"

#include <cstdlib>
#include <filesystem>

#include "cluster/local/command_line.hpp"

namespace bellows::cluster {

namespace {

std::string search_path(const config::Service& service) {
  const auto own = service.environment.find("PATH");
  if (own != service.environment.end()) return own->second;
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

Result<std::string> own_program(const std::string& given, const std::string& name) {
  if (!given.empty()) return find_program(given, {}, {});
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return find_program((self.parent_path() / name).string(), {}, {});
}

Result<config::Service> prepared(config::Service service) {
  if (service.command.empty()) {
    return fail(ErrorKind::kInvalidSetting, "service " + service.name.text(),
                "has no command to run");
  }
  if (!service.working_directory.empty()) {
    std::error_code error;
    const auto path = std::filesystem::absolute(service.working_directory, error);
    if (error || !std::filesystem::is_directory(path, error)) {
      return fail(ErrorKind::kNotFound, service.working_directory,
                  "no such directory, service " + service.name.text() + " is to work there");
    }
    service.working_directory = path.string();
  }
  BELLOWS_TRY(service.command[0],
              find_program(service.command[0], service.working_directory, search_path(service)));
  return service;
}

}  // namespace bellows::cluster
