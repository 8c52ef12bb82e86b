#include "cli/machine/settings_file.hpp"

#include <filesystem>
#include <system_error>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/sys/log.hpp"
#include "base/yaml/document_reader.hpp"
#include "cli/machine/machine.hpp"
#include "command/input.hpp"

namespace bellows::cli {

config::Checked<config::UpSettings> SettingsFile::read() {
  const auto document = read_document();
  if (!document) return tl::unexpected(document.error());
  return config::read_bellows_file(*document, overrides_, autoscaler::check_policies);
}

config::Checked<Document> SettingsFile::read_document() const {
  if (path_ != command::kStandardInput) return yaml::read_document(path_);
  const auto text = command::read_input(path_, "the settings");
  if (!text) return tl::unexpected(std::vector{text.error()});
  return yaml::parse_document(command::input_name(path_), *text);
}

Reloaded SettingsFile::rejected(const std::string& because) const {
  sys::log::warning("settings not reloaded: " + because, {{"file", path_}});
  return {.done = {}, .errors = {command::input_name(path_) + ": not reloaded: " + because}};
}

Reloaded SettingsFile::reload(Machine& machine) {
  if (path_ == command::kStandardInput) return rejected("they came from standard input");
  // Opening a FIFO, or reading a device, would stop all requests until another process writes to
  // it.
  std::error_code unknown;
  const auto type = std::filesystem::status(path_, unknown).type();
  if (!unknown && type != std::filesystem::file_type::regular) {
    return rejected("this is not a regular file");
  }
  const auto requested = read();
  Reloaded reloaded;
  if (!requested) {
    for (const Error& error : requested.error()) {
      sys::log::error("settings rejected, still using the previous settings",
                      {{"file", path_}, {"error", to_string(error)}});
      reloaded.errors.push_back(to_string(error));
    }
    return reloaded;
  }
  for (const std::string& warning : requested->warnings)
    sys::log::warning("deprecated setting", {{"file", path_}, {"warning", warning}});
  const Reload reload = plan_reload(running_, *requested);
  for (const Reload::Service& service : reload.services) apply(service, machine, reloaded);
  for (const std::string& setting : reload.after_restart) {
    sys::log::warning("takes effect after a restart", {{"file", path_}, {"setting", setting}});
    reloaded.done.push_back(setting + ": takes effect after a restart of Bellows");
  }
  if (reload.empty()) {
    sys::log::info("settings reloaded, nothing changed", {{"file", path_}});
    reloaded.done.emplace_back("nothing changed");
  }
  return reloaded;
}

void SettingsFile::apply(const Reload::Service& service, Machine& machine, Reloaded& reloaded) {
  const std::string& name = service.name.text();
  const auto configured = machine.configure(service.name, service.settings);
  if (!configured) {
    sys::log::warning("settings not changed",
                      {{"service", name}, {"error", to_string(configured.error())}});
    reloaded.done.push_back(name + ": not changed: " + to_string(configured.error()));
    return;
  }
  for (config::Service& running : running_.services) {
    if (running.name == service.name) running.settings = service.settings;
  }
  const std::string changes = config::changes_text(service.changes);
  const std::string new_only = only_for_new_replicas(service.changes);
  if (new_only.empty()) {
    sys::log::info("settings changed", {{"service", name}, {"changes", changes}});
  } else {
    sys::log::info("settings changed",
                   {{"service", name}, {"changes", changes}, {"only_for_new_replicas", new_only}});
  }
  reloaded.done.push_back(name + ": " + changes +
                          (new_only.empty() ? "" : " (" + new_only + " for new replicas only)"));
}

}  // namespace bellows::cli
