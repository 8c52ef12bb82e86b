// bellows run and bellows up: the whole system on this machine, in the foreground.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "activator/service/secure_port.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/file.hpp"
#include "base/sys/log.hpp"
#include "cli/commands.hpp"
#include "cli/run/detach.hpp"
#include "cli/screen/live_log.hpp"
#include "cli/status/status_follower.hpp"
#include "cli/status/status_view.hpp"
#include "command/input.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/task_group.hpp"
#include "machine/service/run_until_signalled.hpp"
#include "machine/service/settings_file.hpp"
#include "machine/service/waiting_page.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kStatusPeriod = std::chrono::milliseconds(500);

/// With --quiet only warnings and errors are logged.
void start_logging(config::RunSettings& settings) {
  if (settings.quiet && settings.log.level == config::LogLevel::kInfo) {
    settings.log.level = config::LogLevel::kWarning;
  }
  config::start_logging(settings.log, "bellows");
}

/// A machine stops when its background task ends.
http::Awaitable<void> until_stopped() {
  bool goes_on = true;
  while (goes_on) goes_on = co_await http::sleep_for(std::chrono::hours(1));
}

/// Warns of variables that another program reads, or none; then runs `task`.
machine::BackgroundTask after_notes(const Invocation& invocation, machine::BackgroundTask task) {
  const auto names =
      config::variables_without_effect(invocation.command.settings(), config::read_environment());
  return [names, task = std::move(task)](
             http::net::io_context& io, machine::Machine& machine,
             const machine::MachineAddresses& addresses) -> http::Awaitable<void> {
    for (const std::string& name : names) {
      sys::log::warning("environment variable without effect", {{"name", name}});
    }
    return task ? task(io, machine, addresses) : until_stopped();
  };
}

/// Redraws one line per service at the bottom of the terminal.
http::Awaitable<void> draw_live_lines(Endpoint admin, LiveArea& area) {
  const command::AdminServer server = command::admin_server_at(admin);
  while (true) {
    const auto followed =
        co_await follow_status(server, kStatusPeriod, [&area](const Status& status) {
          std::vector<std::string> lines;
          for (const ServiceStatus& revision : status.services) lines.push_back(one_line(revision));
          area.draw(std::move(lines));
          return true;
        });
    if (followed) co_return;  // stopped
    const bool slept = co_await http::sleep_for(kStatusPeriod);
    if (!slept) co_return;
  }
}

/// Returns the error of a setting's flag with the place that set it, for which a user looks: a
/// variable of the environment overrides the settings file.
Error with_origin(const Invocation& invocation, const Error& error) {
  if (!error.culprit().starts_with("--")) return error;
  const std::string flag = error.culprit().substr(2);
  const config::Declaration* declared = find(invocation.command.settings(), flag);
  if (declared == nullptr) return error;
  std::string place = "setting " + flag;
  for (const config::Layer& layer : invocation.arguments.layers) {
    for (const config::Entry& entry : layer) {
      if (entry.key == flag || entry.key == declared->variable) place = origin(entry);
    }
  }
  Error named(error.kind(), std::move(place), error.message());
  return error.cause() == nullptr ? named : std::move(named).caused_by(*error.cause());
}

int run_in_foreground(const Invocation& invocation, config::RunSettings settings,
                      std::vector<config::Service> services, machine::OnReload on_reload,
                      machine::ReadSettings read_settings) {
  start_logging(settings);
  const Terminal terminal = detect_terminal();
  // The access log needs standard output for itself: its lines and a redrawn area would mix.
  const bool is_live = terminal.is_interactive && !settings.quiet && !settings.access_log.enabled &&
                       settings.log.format == config::LogFormat::kPlain;
  machine::BackgroundTask background;
  std::unique_ptr<LiveLog> live;
  if (is_live) {
    live = std::make_unique<LiveLog>(terminal);
    background = [&live](http::net::io_context&, machine::Machine&,
                         const machine::MachineAddresses& addresses) {
      return draw_live_lines(addresses.admin, live->area());
    };
  }
  const auto ran = machine::run_until_signalled(std::move(settings), std::move(services),
                                                after_notes(invocation, std::move(background)),
                                                std::move(on_reload), std::move(read_settings));
  live.reset();
  return ran ? kSuccess : report_failure(invocation, with_origin(invocation, ran.error()));
}

/// Tells the process that the user called that it serves, and continues until it is stopped.
http::Awaitable<void> report_start(StartReport& report, machine::MachineAddresses addresses) {
  report.started(addresses);
  co_await until_stopped();
}

int run_in_background(const Invocation& invocation, config::RunSettings settings,
                      std::vector<config::Service> services, machine::OnReload on_reload,
                      machine::ReadSettings read_settings) {
  const auto log = detached_log(settings.detach_log, config::state_folder(), settings.admin);
  if (!log) return report_failure(invocation, log.error());
  auto detached = detach(*log);
  if (!detached) return report_failure(invocation, detached.error());
  if (!detached->report) {
    std::cout << detached->said << "\n";
    return kSuccess;
  }
  StartReport& report = *detached->report;
  start_logging(settings);
  const auto ran = machine::run_until_signalled(
      std::move(settings), std::move(services),
      after_notes(invocation,
                  [&report](http::net::io_context&, machine::Machine&,
                            const machine::MachineAddresses& addresses) {
                    return report_start(report, addresses);
                  }),
      std::move(on_reload), std::move(read_settings));
  if (ran) return kSuccess;
  const Error error = with_origin(invocation, ran.error());
  report.failed(error);
  return report_failure(invocation, error);
}

int run_machine(const Invocation& invocation, config::RunSettings settings,
                std::vector<config::Service> services, machine::OnReload on_reload = nullptr,
                machine::ReadSettings read_settings = nullptr) {
  const auto run = settings.detach ? run_in_background : run_in_foreground;
  return run(invocation, std::move(settings), std::move(services), std::move(on_reload),
             std::move(read_settings));
}

/// `bellows run` has no settings file. Each reload reads the certificates again.
http::Awaitable<machine::Reloaded> certificates_only(http::net::io_context&, machine::Machine&) {
  machine::Reloaded reloaded;
  reloaded.done.emplace_back("certificates: read again");
  co_return reloaded;
}

}  // namespace

int run_service(const Invocation& invocation) {
  if (!invocation.arguments.positional.empty())
    return usage_error(invocation, "want the COMMAND after \"--\"");
  auto settings = config::run_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  auto service = config::single_service(*settings, invocation.arguments.rest);
  if (!service) return usage_error(invocation, service.error());
  if (const auto checked = autoscaler::policies_of(service->settings); !checked) {
    return usage_error(invocation, std::vector<Error>{checked.error()});
  }
  if (const auto checked = machine::check_waiting_page(service->settings); !checked) {
    return usage_error(invocation, checked.error());
  }
  const auto tls = activator::check_tls(settings->tls, settings->listen, sys::system_clock());
  if (!tls) return usage_error(invocation, tls.error());
  // Only certificates are reloaded here, so without them SIGHUP ends it, as it ends other programs.
  machine::OnReload reload = settings->tls.is_on() ? machine::OnReload(certificates_only) : nullptr;
  return run_machine(invocation, std::move(*settings), {std::move(*service)}, std::move(reload));
}

int run_file(const Invocation& invocation) {
  const auto& files = invocation.arguments.positional;
  if (files.size() > 1) return usage_error(invocation, "want one FILE");
  const std::string path = files.empty() ? "bellows.yaml" : files.front();
  machine::SettingsFile file(path, invocation.arguments.layers);
  auto settings = file.read();
  if (!settings) return usage_error(invocation, settings.error());
  const auto tls =
      activator::check_tls(settings->run.tls, settings->run.listen, sys::system_clock());
  if (!tls) return usage_error(invocation, tls.error());
  file.set_running(settings->run);
  if (settings->run.state_file.empty() && path != command::kStandardInput) {
    settings->run.state_file = sys::resolved_path(path) + ".state";
  }
  return run_machine(
      invocation, std::move(settings->run), std::move(settings->services),
      [&file](http::net::io_context& io, machine::Machine& machine) {
        return file.reload(io, machine);
      },
      [&file](const std::string& name, const std::string& text) { return file.read(name, text); });
}

}  // namespace bellows::cli
