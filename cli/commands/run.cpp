// bellows run and bellows up: the whole system on this machine, in the foreground.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/sys/log.hpp"
#include "base/yaml/document_reader.hpp"
#include "cli/commands.hpp"
#include "cli/machine/reload.hpp"
#include "cli/machine/run_until_signalled.hpp"
#include "cli/screen/live_log.hpp"
#include "cli/status/status_follower.hpp"
#include "cli/status/status_view.hpp"
#include "command/input.hpp"
#include "config/bellows_file.hpp"
#include "config/sources/logging.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(500);

/// With --quiet only warnings and errors are logged.
void start_logging(config::RunSettings& settings) {
  if (settings.quiet && settings.log.level == config::LogLevel::kInfo) {
    settings.log.level = config::LogLevel::kWarning;
  }
  config::start_logging(settings.log, "bellows");
}

/// The file of `bellows up`. SIGHUP reloads it.
class SettingsFile {
 public:
  /// The layers of `overrides` win over the file.
  SettingsFile(std::string path, std::vector<config::Layer> overrides)
      : path_(std::move(path)), overrides_(std::move(overrides)) {}

  config::Checked<config::UpSettings> read() {
    const auto document = read_document();
    if (!document) return tl::unexpected(document.error());
    return config::read_bellows_file(*document, overrides_, autoscaler::check_policies);
  }

  /// The settings that the machine was started with.
  void set_running(config::UpSettings settings) { running_ = std::move(settings); }

  /// Applies all settings of the file that can change at run time, or none if the file has an
  /// error.
  void reload(Machine& machine) {
    if (path_ == command::kStandardInput) {
      sys::log::warning("settings not reloaded: they came from standard input");
      return;
    }
    // Opening a FIFO, or reading a device, would stop all requests until another process writes to
    // it.
    std::error_code unknown;
    const auto type = std::filesystem::status(path_, unknown).type();
    if (!unknown && type != std::filesystem::file_type::regular) {
      sys::log::warning("settings not reloaded: this is not a regular file", {{"file", path_}});
      return;
    }
    const auto requested = read();
    if (!requested) {
      for (const Error& error : requested.error()) {
        sys::log::error("settings rejected, still using the previous settings",
                        {{"file", path_}, {"error", to_string(error)}});
      }
      return;
    }
    for (const std::string& warning : requested->warnings)
      sys::log::warning("deprecated setting", {{"file", path_}, {"warning", warning}});
    const Reload reload = plan_reload(running_, *requested);
    for (const Reload::Service& service : reload.services) apply(service, machine);
    for (const std::string& setting : reload.after_restart) {
      sys::log::warning("takes effect after a restart", {{"file", path_}, {"setting", setting}});
    }
    if (reload.empty()) sys::log::info("settings reloaded, nothing changed", {{"file", path_}});
  }

 private:
  config::Checked<Document> read_document() const {
    if (path_ != command::kStandardInput) return yaml::read_document(path_);
    const auto text = command::read_input(path_, "the settings");
    if (!text) return tl::unexpected(std::vector{text.error()});
    return yaml::parse_document(command::input_name(path_), *text);
  }

  void apply(const Reload::Service& service, Machine& machine) {
    const auto configured = machine.configure(service.name, service.settings);
    if (!configured) {
      sys::log::warning("settings not changed", {{"service", service.name.text()},
                                                 {"error", to_string(configured.error())}});
      return;
    }
    for (config::Service& running : running_.services) {
      if (running.name == service.name) running.settings = service.settings;
    }
    const std::string changes = config::changes_text(service.changes);
    const std::string new_only = only_for_new_replicas(service.changes);
    if (new_only.empty()) {
      sys::log::info("settings changed", {{"service", service.name.text()}, {"changes", changes}});
    } else {
      sys::log::info("settings changed", {{"service", service.name.text()},
                                          {"changes", changes},
                                          {"only_for_new_replicas", new_only}});
    }
  }

  std::string path_;
  std::vector<config::Layer> overrides_;
  config::UpSettings running_;
};

/// Redraws one line per service at the bottom of the terminal.
http::Awaitable<void> draw_live_lines(Endpoint admin, LiveArea& area) {
  const command::AdminServer server = command::admin_server_at(admin);
  while (true) {
    const auto followed =
        co_await follow_status(server, kPollInterval, [&area](const Status& status) {
          std::vector<std::string> lines;
          for (const RevisionStatus& revision : status.revisions)
            lines.push_back(one_line(revision));
          area.draw(std::move(lines));
          return true;
        });
    if (followed) co_return;  // stopped
    const bool slept = co_await http::sleep_for(kPollInterval);
    if (!slept) co_return;
  }
}

int run_in_foreground(const Invocation& invocation, config::RunSettings settings,
                      std::vector<config::Service> services, OnReload on_reload = nullptr) {
  start_logging(settings);
  const Terminal terminal = detect_terminal();
  // The access log has standard output to itself: its lines and a redrawn area would mix.
  const bool is_live = terminal.is_interactive && !settings.quiet && !settings.access_log.enabled &&
                       settings.log.format == config::LogFormat::kPlain;
  BackgroundTask background;
  std::unique_ptr<LiveLog> live;
  if (is_live) {
    live = std::make_unique<LiveLog>(terminal);
    background = [&live](http::net::io_context&, Machine&, const MachineAddresses& addresses) {
      return draw_live_lines(addresses.admin, live->area());
    };
  }
  const auto ran = run_until_signalled(std::move(settings), std::move(services),
                                       std::move(background), std::move(on_reload));
  live.reset();
  return ran ? kSuccess : report_failure(invocation, ran.error());
}

}  // namespace

int run_service(const Invocation& invocation) {
  if (!invocation.arguments.positional.empty())
    return usage_error(invocation, "want the COMMAND after \"--\"");
  auto settings = config::run_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  command::print_deprecations(command::full_name(invocation), invocation.command.settings(),
                              invocation.arguments.layers);
  auto service = config::single_service(*settings, invocation.arguments.rest);
  if (!service) return usage_error(invocation, service.error());
  if (const auto checked = autoscaler::check_policies(service->settings); !checked) {
    return usage_error(invocation, std::vector<Error>{checked.error()});
  }
  return run_in_foreground(invocation, std::move(*settings), {std::move(*service)});
}

int run_file(const Invocation& invocation) {
  const auto& files = invocation.arguments.positional;
  if (files.size() > 1) return usage_error(invocation, "want one FILE");
  SettingsFile file(files.empty() ? "bellows.yaml" : files.front(), invocation.arguments.layers);
  auto settings = file.read();
  if (!settings) return usage_error(invocation, settings.error());
  for (const std::string& warning : settings->warnings)
    std::cerr << command::full_name(invocation) << ": warning: " << warning << "\n";
  file.set_running(*settings);
  return run_in_foreground(invocation, std::move(settings->run), std::move(settings->services),
                           [&file](Machine& machine) { file.reload(machine); });
}

}  // namespace bellows::cli
