#include "machine/service/settings_file.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/sys/free_memory.hpp"
#include "base/sys/log.hpp"
#include "base/yaml/document_reader.hpp"
#include "command/input.hpp"
#include "http/io/side_thread.hpp"
#include "machine/service/deployer.hpp"
#include "machine/service/reload.hpp"
#include "machine/service/waiting_page.hpp"

namespace bellows::machine {

namespace {

/// Checks what involves several settings of a service.
Result<void> check_service(const config::RevisionSettings& settings) {
  BELLOWS_CHECKED(autoscaler::policies_of(settings));
  return check_waiting_page(settings);
}

}  // namespace

config::Checked<config::UpSettings> SettingsFile::read() {
  const auto document = read_document();
  if (!document) return tl::unexpected(document.error());
  return config::read_bellows_file(*document, overrides_, check_service);
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

http::Awaitable<Reloaded> SettingsFile::reload(http::net::io_context& io, Machine& machine) {
  if (path_ == command::kStandardInput) co_return rejected("it was read from standard input");
  // Opening a FIFO, or reading a device, would stop all requests until another process writes to
  // it.
  std::error_code unknown;
  const auto type = std::filesystem::status(path_, unknown).type();
  if (!unknown && type != std::filesystem::file_type::regular) {
    co_return rejected("this is not a regular file");
  }
  std::optional<config::Checked<config::UpSettings>> read_beside;
  FileServices file = machine.services().declared();
  co_await http::on_side_thread(io, [this, &read_beside, &file] {
    read_beside = read();
    if (!*read_beside) return;
    file = file_services(std::move((*read_beside)->services), file);
  });
  const auto& requested = *read_beside;
  Reloaded reloaded;
  if (!requested) {
    for (const Error& error : requested.error()) {
      sys::log::error("settings rejected, still using the previous settings",
                      {{"file", path_}, {"error", to_string(error)}});
      reloaded.errors.push_back(to_string(error));
    }
    co_return reloaded;
  }
  reloaded = apply(*requested, file, machine);
  // Thousands of services take milliseconds to free.
  co_await http::on_side_thread(io, [&read_beside, &file] {
    read_beside.reset();
    file.clear();
    sys::give_back_free_memory();
  });
  co_return reloaded;
}

Reloaded SettingsFile::apply(const config::UpSettings& requested, const FileServices& file,
                             Machine& machine) const {
  const ServiceOrder order{.dry_run = false, .probe = true, .cause = "settings file"};
  const auto answer = machine.services().take([&](ServiceOrders& orders, TagOrders& /*tags*/) {
    return orders.apply(file, Scope::kWhatTheFileChanged, order);
  });
  if (!answer) {
    const std::string error = to_string(answer.error());
    sys::log::error("settings rejected, still using the previous settings",
                    {{"file", path_}, {"error", error}});
    return {.done = {}, .errors = {error}};
  }
  Reloaded reloaded;
  for (const std::string& line : answer->lines) {
    sys::log::info("applied", {{"file", path_}, {"change", line}});
    reloaded.done.push_back(line);
  }
  for (const std::string& setting : after_restart(running_, requested.run)) {
    sys::log::warning("takes effect after a restart", {{"file", path_}, {"setting", setting}});
    reloaded.done.push_back(setting + ": takes effect after a restart of Bellows");
  }
  if (reloaded.done.empty()) {
    sys::log::info("settings reloaded, nothing changed", {{"file", path_}});
  }
  for (const config::SharedService& service : file) {
    const ServiceRecord* const record = machine.services().store().find(service->name);
    if (record == nullptr || !record->is_removed()) continue;
    reloaded.done.push_back(
        service->name.text() +
        ": stays removed; `bellows apply` or a change of its entry restores it");
  }
  if (reloaded.done.empty()) reloaded.done.emplace_back("nothing changed");
  return reloaded;
}

Result<SettingsRead> SettingsFile::read(const std::string& name, const std::string& text) const {
  const auto all_of = [&](const std::vector<Error>& problems) {
    std::string list = config::problems_text(problems);
    while (list.ends_with('\n')) list.pop_back();
    return fail(ErrorKind::kInvalidSetting, name, "nothing was changed:\n" + list);
  };
  const auto document = yaml::parse_document(name, text);
  if (!document) return all_of(document.error());
  auto settings = config::read_bellows_file(*document, overrides_, check_service);
  if (!settings) return all_of(settings.error());
  return SettingsRead{.services = std::move(settings->services),
                      .after_restart = after_restart(running_, settings->run)};
}

}  // namespace bellows::machine
