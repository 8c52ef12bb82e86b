// bellows top: the status, live, with a chart of the last minutes.
#include <iostream>

#include "cli/admin_client.hpp"
#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/screen/live_area.hpp"
#include "cli/status/status_follower.hpp"
#include "cli/status/status_view.hpp"
#include "cli/usage.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

namespace {

/// Which service the chart is about: the one that was named, else the first.
const RevisionStatus* charted(const Status& status, const std::string& name) {
  for (const RevisionStatus& revision : status.revisions) {
    if (name.empty() || revision.name == name) return &revision;
  }
  return nullptr;
}

std::vector<std::string> screen_of(const Status& status, const StatusHistory& history,
                                   std::size_t width) {
  std::vector<std::string> lines = wide_lines(status);
  lines.emplace_back();
  for (std::string& line : chart_lines(history, width)) lines.push_back(std::move(line));
  return lines;
}

int print_once(const Command& command, const Endpoint& admin) {
  const auto answer = ask_admin(admin, "GET", "/v1/status");
  if (!answer) return give_up(command, answer.error());
  const auto status = parse_status(answer->body);
  if (!status) return give_up(command, status.error());
  for (const std::string& line : wide_lines(*status)) std::cout << line << "\n";
  return kSuccess;
}

/// Draws until a look fails; Ctrl-C ends the program.
http::Awaitable<void> watch(ClientSettings settings, std::string name, LiveArea& area,
                            Result<void>& outcome) {
  StatusHistory history;
  outcome = co_await follow_status(settings.admin, settings.interval, [&](const Status& status) {
    if (const RevisionStatus* revision = charted(status, name)) history.add(*revision);
    area.draw(screen_of(status, history, area.terminal().width));
    return true;
  });
}

}  // namespace

int show_top(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = top_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  if (asked->words.size() > 1) return complain(command, "want at most one NAME");

  LiveArea area(detect_terminal());
  if (settings->once || !area.terminal().is_interactive)
    return print_once(command, settings->admin);
  const std::string name = asked->words.empty() ? "" : asked->words.front();
  Result<void> outcome;
  http::net::io_context io(1);
  http::TaskGroup tasks(io);
  tasks.spawn("watch", [&] { return watch(*settings, name, area, outcome); });
  io.run();
  return outcome ? kSuccess : give_up(command, outcome.error());
}

}  // namespace bellows::cli
