#include "cluster/local/prepare_service.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/sys/file.hpp"
#include "base/sys/sibling_program.hpp"
#include "cluster/local/command_line.hpp"
#include "cluster/local/environment_file.hpp"

namespace bellows::cluster {

namespace {

std::string search_path(const config::Service& service) {
  const auto own = service.environment.find("PATH");
  if (own != service.environment.end()) return own->second;
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

Error invalid_account(const config::Service& service, const std::string& want) {
  return Error(ErrorKind::kInvalidSetting, "service " + service.service().text() + ": run-as-user",
               "\"" + service.user + "\": " + want);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// Replaces the names of user and group by their numbers. Only root may change them.
Result<void> find_accounts(config::Service& service) {
  if (service.user.empty()) return {};
  if (::geteuid() != 0) {
    return fail(invalid_account(
        service, "want Bellows to run as root, which may change the user of an app"));
  }
  Account account = account_of(service.user);
  // NOLINTBEGIN(concurrency-mt-unsafe): before other threads are started
  if (!account.user.empty()) {
    const passwd* const user = is_number(account.user)
                                   ? ::getpwuid(static_cast<uid_t>(std::stoul(account.user)))
                                   : ::getpwnam(account.user.c_str());
    if (user == nullptr && !is_number(account.user)) {
      return fail(invalid_account(service, "want the name of a user of this machine, or a number"));
    }
    if (account.group.empty()) {
      account.group = user != nullptr ? std::to_string(user->pw_gid) : account.user;
    }
    if (user != nullptr) account.user = std::to_string(user->pw_uid);
  }
  if (!is_number(account.group)) {
    const group* const found = ::getgrnam(account.group.c_str());
    if (found == nullptr) {
      return fail(invalid_account(
          service, "want the name of a group of this machine after the colon, or a number"));
    }
    account.group = std::to_string(found->gr_gid);
  }
  // NOLINTEND(concurrency-mt-unsafe)
  service.user = account.user + ":" + account.group;
  return {};
}

Result<void> read_environment_file(config::Service& service) {
  if (service.environment_file.empty()) return {};
  BELLOWS_TRY(const std::string text,
              sys::read_whole_file(service.environment_file, "environment file"));
  BELLOWS_TRY(auto variables, parse_environment_file(text, service.environment_file));
  service.environment.merge(variables);  // what the service itself sets stays
  return {};
}

}  // namespace

Account account_of(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  return {text.substr(0, colon), colon == text.size() ? "" : text.substr(colon + 1)};
}

Result<std::string> own_program(const std::string& given, const std::string& name) {
  if (!given.empty()) return find_program(given, {}, {});
  return find_program(sys::sibling_program(name), {}, {});
}

namespace {

/// What a command has started may be no child of this process.
Result<void> check_starter(const config::Service& service) {
  if (!service.is_starter) return {};
  const config::ResourcesSettings& resources = service.settings.resources;
  const bool is_sized = resources.mode != config::ResourcesMode::kOff || resources.cpu_limit ||
                        resources.memory_limit;
  if (!is_sized) return {};
  return fail(ErrorKind::kUnsupported, "service " + service.service().text() + ": start",
              "what it starts may be no child of Bellows, which can neither measure nor limit it; "
              "want resources-mode off, and neither cpu-limit nor memory-limit");
}

Result<config::Service> prepare(config::Service service) {
  if (service.command.empty()) {
    return fail(ErrorKind::kInvalidSetting, "service " + service.service().text(),
                "has no command to run");
  }
  BELLOWS_CHECKED(check_starter(service));
  BELLOWS_CHECKED(find_accounts(service));
  BELLOWS_CHECKED(read_environment_file(service));
  if (!service.working_directory.empty()) {
    std::error_code error;
    const auto path = std::filesystem::absolute(service.working_directory, error);
    const bool is_folder = !error && std::filesystem::is_directory(path, error);
    if (!is_folder) {
      const bool is_closed = error == std::errc::permission_denied;
      return fail(
          ErrorKind::kNotFound, "service " + service.service().text() + ": working-directory",
          "\"" + service.working_directory + "\": " +
              (is_closed ? "this user may not enter it (EACCES)" : "there is no such folder") +
              "; want a folder in which the app can start");
    }
    service.working_directory = path.string();
  }
  BELLOWS_TRY(service.command[0],
              find_program(service.command[0], service.working_directory, search_path(service)));
  if (!service.stop.empty()) {
    BELLOWS_TRY(service.stop[0],
                find_program(service.stop[0], service.working_directory, search_path(service)));
  }
  return service;
}

}  // namespace

Result<config::Service> prepared(config::Service service) {
  const std::string place = service.command_at.text;
  auto ready = prepare(std::move(service));
  if (ready || place.empty()) return ready;
  Error named(ready.error().kind(), place + ": " + ready.error().culprit(),
              ready.error().message());
  if (const Error* cause = ready.error().cause()) named = std::move(named).caused_by(*cause);
  return fail(std::move(named));
}

}  // namespace bellows::cluster
