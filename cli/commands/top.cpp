// bellows top: refreshes the status in place, with a chart of the last minutes.
#include <iostream>
#include <string>
#include <vector>

#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/status/status_follower.hpp"
#include "cli/status/top_view.hpp"
#include "cli/target.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

namespace {

/// Returns the service that the chart is about; empty: the busiest.
Result<std::string> charted(Target& target, const std::vector<std::string>& names) {
  if (names.empty()) return std::string();
  BELLOWS_TRY(const http::Response response, target.request("GET", "/v1/status"));
  BELLOWS_TRY(Status status, parse_status(response.body));
  target.narrow(status);
  BELLOWS_TRY(const ServiceStatus named, target.named(names.front(), status));
  return named.name;
}

int print_once(const Invocation& invocation, Target& target, TopView& view, std::size_t width) {
  const auto response = target.request("GET", "/v1/status");
  if (!response) return report_target_error(invocation, response.error());
  auto status = parse_status(response->body);
  if (!status) return report_failure(invocation, status.error());
  target.narrow(*status);
  view.add(*status);
  for (const std::string& line : view.tables(*status, width)) std::cout << line << "\n";
  return kSuccess;
}

/// Draws until a request for the status fails. Ctrl-C ends the program.
http::Awaitable<void> watch(const Target& target, Duration interval, TopView& view, LiveArea& area,
                            Result<void>& outcome) {
  outcome = co_await follow_status(target.admin(), interval, [&](Status status) {
    target.narrow(status);
    view.add(status);
    area.draw(view.lines(status, area.terminal().width));
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
  const auto name = charted(*target, names);
  if (!name) return report_target_error(invocation, name.error());
  TopView view(*name, settings->interval);
  if (settings->once || !area.terminal().is_interactive) {
    return print_once(invocation, *target, view, area.terminal().width);
  }
  Result<void> outcome;
  http::TaskGroup tasks(io);
  tasks.spawn("watch", [&] { return watch(*target, settings->interval, view, area, outcome); });
  io.run();
  return outcome ? kSuccess : report_target_error(invocation, outcome.error());
}

}  // namespace bellows::cli
