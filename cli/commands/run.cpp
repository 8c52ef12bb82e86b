// bellows run and bellows up: the whole system on this machine, in the foreground.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/sys/log.hpp"
#include "cli/command.hpp"
#include "cli/machine/reload.hpp"
#include "cli/machine/run_until_told.hpp"
#include "cli/screen/live_log.hpp"
#include "cli/status/status_follower.hpp"
#include "cli/status/status_view.hpp"
#include "cli/usage.hpp"
#include "config/bellows_file.hpp"
#include "config/sources/file.hpp"
#include "config/sources/logging.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(500);

/// Quiet: warnings and errors only.
void start_logging(config::RunSettings& settings) {
  if (settings.quiet && settings.log.level == config::LogLevel::kInfo) {
    settings.log.level = config::LogLevel::kWarning;
  }
  config::start_logging(settings.log, "bellows");
}

/// The file of `bellows up`, read again whenever that is asked for.
class SettingsFile {
 public:
  SettingsFile(std::string path, std::vector<config::Layer> above)
      : path_(std::move(path)), above_(std::move(above)) {}

  config::Checked<config::UpSettings> read() {
    const auto document = config::read_document(path_);
    if (!document) return tl::unexpected(document.error());
    return config::read_bellows_file(*document, above_);
  }

  /// What `machine` runs with.
  void is_running(config::UpSettings settings) { running_ = std::move(settings); }

  /// All of it or, if there is a problem in it, nothing.
  void reload(Machine& machine) {
    const auto asked = read();
    if (!asked) {
      for (const Error& problem : asked.error()) {
        sys::log::error("settings refused, the old ones stay", {{"mistake", to_string(problem)}});
      }
      return;
    }
    const Reload reload = plan_reload(running_, *asked);
    for (const Reload::Service& service : reload.services) apply(service, machine);
    for (const std::string& what : reload.waiting) {
      sys::log::warning("not before the next start", {{"file", path_}, {"setting", what}});
    }
    if (reload.empty()) sys::log::info("settings read, nothing changed", {{"file", path_}});
  }

 private:
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
    const std::string kept = kept_by_running(service.changes);
    if (kept.empty()) {
      sys::log::info("settings changed", {{"service", service.name.text()}, {"changes", changes}});
    } else {
      sys::log::info("settings changed", {{"service", service.name.text()},
                                          {"changes", changes},
                                          {"only_for_new_replicas", kept}});
    }
  }

  std::string path_;
  std::vector<config::Layer> above_;
  config::UpSettings running_;
};

/// Keeps one line per service at the end of the terminal.
http::Awaitable<void> draw_live_lines(Endpoint admin, LiveArea& area) {
  while (true) {
    const auto followed = co_await follow_status(admin, kLook, [&area](const Status& status) {
      std::vector<std::string> lines;
      for (const RevisionStatus& revision : status.revisions) lines.push_back(one_line(revision));
      area.draw(std::move(lines));
      return true;
    });
    if (followed) co_return;  // stopped
    const bool slept = co_await http::sleep_for(kLook);
    if (!slept) co_return;
  }
}

int run_in_foreground(const Command& command, config::RunSettings settings,
                      std::vector<config::Service> services, OnHangUp on_hang_up = nullptr) {
  start_logging(settings);
  const Terminal terminal = detect_terminal();
  // An access log has standard output to itself: its lines and a redrawn area would mix.
  const bool is_live = terminal.is_interactive && !settings.quiet && !settings.access_log.enabled &&
                       settings.log.format == config::LogFormat::kPlain;
  Beside beside;
  std::unique_ptr<LiveLog> live;
  if (is_live) {
    live = std::make_unique<LiveLog>(terminal);
    beside = [&live](http::net::io_context&, Machine&, const MachineAddresses& addresses) {
      return draw_live_lines(addresses.admin, live->area());
    };
  }
  const auto ran = run_until_told(std::move(settings), std::move(services), std::move(beside),
                                  std::move(on_hang_up));
  live.reset();
  return ran ? kSuccess : give_up(command, ran.error());
}

}  // namespace

int run_service(const Command& command, const Arguments& arguments) {
  const auto layers = read_layers(command, arguments);
  if (!layers) return kSuccess;
  if (!arguments.words.empty()) return complain(command, "want the COMMAND behind \"--\"");
  auto settings = config::run_schema().apply(*layers);
  if (!settings) return complain(command, settings.error());
  auto service = config::single_service(*settings, arguments.rest);
  if (!service) return complain(command, service.error());
  return run_in_foreground(command, std::move(*settings), {std::move(*service)});
}

int run_file(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  if (asked->words.size() > 1) return complain(command, "want one FILE");
  const std::string name = asked->words.empty() ? "bellows.yaml" : asked->words.front();
  SettingsFile file(name, asked->layers);
  auto settings = file.read();
  if (!settings) return complain(command, settings.error());
  file.is_running(*settings);
  return run_in_foreground(command, std::move(settings->run), std::move(settings->services),
                           [&file](Machine& machine) { file.reload(machine); });
}

}  // namespace bellows::cli
