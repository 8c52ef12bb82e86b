// bellows top: the status, refreshed in place, with a chart of the last minutes.
#include <iostream>

#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/status/status_follower.hpp"
#include "cli/status/status_view.hpp"
#include "cli/target.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

namespace {

/// The service of the chart: the named one, otherwise the first. nullptr: no such service.
const RevisionStatus* charted_service(const Status& status, const std::string& name) {
  for (const RevisionStatus& revision : status.revisions) {
    if (name.empty() || revision.name == name) return &revision;
  }
  return nullptr;
}

std::vector<std::string> screen_lines(const Status& status, const StatusHistory& history,
                                      std::size_t width) {
  std::vector<std::string> lines = wide_lines(status);
  lines.emplace_back();
  for (std::string& line : chart_lines(history, width)) lines.push_back(std::move(line));
  return lines;
}

int print_once(const Invocation& invocation, Target& target) {
  const auto response = target.request("GET", "/v1/status");
  if (!response) return report_target_error(invocation, response.error());
  auto status = parse_status(response->body);
  if (!status) return report_failure(invocation, status.error());
  target.narrow(*status);
  for (const std::string& line : wide_lines(*status)) std::cout << line << "\n";
  return kSuccess;
}

/// Draws until a request for the status fails. Ctrl-C ends the program.
http::Awaitable<void> watch(const Target& target, Duration interval, std::string name,
                            LiveArea& area, Result<void>& outcome) {
  StatusHistory history;
  outcome = co_await follow_status(target.admin(), interval, [&](Status status) {
    target.narrow(status);
    if (const RevisionStatus* revision = charted_service(status, name)) history.add(*revision);
    area.draw(screen_lines(status, history, area.terminal().width));
    return true;
  });
}

}  // namespace

int show_top(const Invocation& invocation) {
  const auto settings = top_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() > 1) return usage_error(invocation, "want at most one NAME");

  LiveArea area(detect_terminal());
  http::net::io_context io(1);
  auto target = Target::open(io, *settings);
  if (!target) return report_target_error(invocation, target.error());
  if (settings->once || !area.terminal().is_interactive) return print_once(invocation, *target);
  const std::string name = names.empty() ? "" : names.front();
  Result<void> outcome;
  http::TaskGroup tasks(io);
  tasks.spawn("watch", [&] { return watch(*target, settings->interval, name, area, outcome); });
  io.run();
  return outcome ? kSuccess : report_target_error(invocation, outcome.error());
}

}  // namespace bellows::cli
