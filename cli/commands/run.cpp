// bellows run and bellows up: the whole system on this machine, in the foreground.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "cli/command.hpp"
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

/// Keeps one line per service at the end of the terminal.
http::Task<void> draw_live_lines(Endpoint admin, LiveArea& area) {
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
                      std::vector<config::Service> services) {
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
  const auto ran = run_until_told(std::move(settings), std::move(services), std::move(beside));
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
  const auto layers = read_layers(command, arguments);
  if (!layers) return kSuccess;
  if (arguments.words.size() > 1) return complain(command, "want one FILE");
  const std::string file = arguments.words.empty() ? "bellows.yaml" : arguments.words.front();
  const auto document = config::read_document(file);
  if (!document) return complain(command, document.error());
  auto settings = config::read_bellows_file(*document, *layers);
  if (!settings) return complain(command, settings.error());
  return run_in_foreground(command, std::move(settings->run), std::move(settings->services));
}

}  // namespace bellows::cli
