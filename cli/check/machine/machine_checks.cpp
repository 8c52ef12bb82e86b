#include "cli/check/machine/machine_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/sys/clock.hpp"
#include "cli/check/machine/check_certificates.hpp"
#include "cli/check/machine/check_machine.hpp"
#include "cli/status/status_items.hpp"
#include "command/admin/admin_client.hpp"
#include "command/admin/run_blocking.hpp"
#include "command/input.hpp"
#include "config/run_settings.hpp"
#include "config/sources/environment.hpp"
#include "machine/service/settings_file.hpp"

namespace bellows::cli {

namespace {

constexpr const char* kDefaultFile = "bellows.yaml";

std::string names_of(const std::vector<config::Service>& services) {
  std::string names;
  for (const config::Service& service : services) {
    names += (names.empty() ? "" : ", ") + service.name.text();
  }
  return names;
}

bool has_one_of(const Status& status, const std::vector<config::Service>& services) {
  return std::ranges::any_of(services, [&](const config::Service& service) {
    return std::ranges::find(status.services, service.name.text(), &ServiceStatus::name) !=
           status.services.end();
  });
}

bool is_there(const std::string& file) {
  std::error_code unknown;
  return std::filesystem::exists(file, unknown);
}

}  // namespace

Result<std::vector<CheckItem>> MachineChecks::run(const std::string& file) {
  const std::string name = !file.empty() ? file : is_there(kDefaultFile) ? kDefaultFile : "";
  if (!file.empty() && file != command::kStandardInput && !is_there(file)) {
    return fail(ErrorKind::kInvalidSetting, file, "no such file");
  }
  std::optional<config::UpSettings> settings;
  if (!name.empty()) {
    // `bellows up` obeys them, too.
    const config::Environment variables = config::read_environment();
    const auto& declarations = config::up_schema().declarations();
    auto read =
        machine::SettingsFile(name, {config::environment_layer(declarations, variables)}).read();
    for (const std::string& variable : config::variables_without_effect(declarations, variables)) {
      items_.push_back(noted("environment", variable + " has no effect on `bellows up`",
                             "docs/settings.md has the variables of each program"));
    }
    add_settings(name, read);
    if (read) settings = *std::move(read);
  }
  // BELLOWS_ADMIN is a setting of `bellows up` too, so then both are the same.
  const bool is_admin_given = settings_.admin != ClientSettings().admin &&
                              (!settings || settings_.admin != settings->run.admin);
  const Endpoint admin = settings && !is_admin_given ? settings->run.admin : settings_.admin;
  const std::vector<CheckItem> before = std::exchange(items_, {});
  const bool is_of_file = settings && !is_admin_given;
  const bool is_running =
      check_running(admin, is_of_file ? settings->services : std::vector<config::Service>());
  const std::vector<CheckItem> running = std::exchange(items_, before);
  if (settings) {
    add(program_items(settings->services));
    add(time_limit_items(settings->services));
    // --admin may name a Bellows that does not run this file.
    add(port_items(io_, settings->run, is_running && admin == settings->run.admin));
    add(app_port_items(settings->services, is_running && admin == settings->run.admin));
    add(certificate_items(settings->run.tls, settings->run.listen, sys::system_clock()));
    add(limit_items(settings->services));
  }
  add(running);
  if (!is_running && (name.empty() || is_admin_given)) {
    items_.push_back(
        name.empty() ? noted("bellows",
                             "no bellows.yaml in this folder, and none runs at " + to_string(admin),
                             "bellows check FILE, bellows check --admin ADDRESS; of a Kubernetes "
                             "cluster: bellows check -A")
                     : failed("bellows", "none runs at " + to_string(admin), "bellows up"));
  }
  return std::move(items_);
}

void MachineChecks::add(const std::vector<CheckItem>& items) {
  items_.insert(items_.end(), items.begin(), items.end());
}

void MachineChecks::add_settings(const std::string& file,
                                 const config::Checked<config::UpSettings>& settings) {
  if (!settings) {
    for (const Error& error : settings.error()) {
      items_.push_back(failed("settings", to_string(error), ""));
    }
    return;
  }
  const std::size_t count = settings->services.size();
  items_.push_back(passed("settings", command::input_name(file) + ": " + std::to_string(count) +
                                          (count == 1 ? " service: " : " services: ") +
                                          names_of(settings->services)));
}

/// Returns true: a process has the address.
bool MachineChecks::add_silent(const Endpoint& admin, const Error& error) {
  items_.push_back(failed("bellows", to_string(command::no_answer(to_string(admin), error)),
                          "--admin names the address of Bellows"));
  return true;
}

/// Returns false if nothing listens there, or another program, or a Bellows that has none of
/// `services`; empty: it may have any.
bool MachineChecks::check_running(const Endpoint& admin,
                                  const std::vector<config::Service>& services) {
  const command::AdminServer server = command::admin_server_at(admin);
  const auto ready = command::run_blocking(io_, server.send("GET", "/readyz"));
  const std::string name = "bellows";
  if (!ready && ready.error().kind() == ErrorKind::kTimeout)
    return add_silent(admin, ready.error());
  if (!ready) return false;
  const auto page = command::request_admin(io_, server, "GET", "/v1/status");
  const auto status = page ? parse_status(page->body) : Result<Status>(fail(page.error()));
  if (!page && page.error().kind() == ErrorKind::kTimeout) return add_silent(admin, page.error());
  if (!status) {
    items_.push_back(failed(name,
                            to_string(admin) + " is another program: " + to_string(status.error()),
                            "--admin names the address of Bellows"));
    return false;
  }
  if (!services.empty() && !has_one_of(*status, services)) {
    items_.push_back(failed(
        name,
        "another one runs at " + to_string(admin) + ", with none of the services of this file",
        "`bellows down --admin " + to_string(admin) +
            "` ends it; or set other addresses for listen and admin"));
    return false;
  }
  if (ready->status == 200) {
    items_.push_back(passed(name, "runs at " + to_string(admin) + " and is ready"));
  } else {
    items_.push_back(failed(name,
                            "runs at " + to_string(admin) + " and is not ready: " +
                                ready->body.substr(0, ready->body.find('\n')),
                            ""));
  }
  add(status_items(*status));
  return true;
}

}  // namespace bellows::cli
