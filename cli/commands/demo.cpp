// bellows demo: a sample service from zero, through a burst, back to zero.
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "cli/demo/demo.hpp"
#include "cli/machine/beside_this_program.hpp"
#include "cli/machine/run_until_told.hpp"
#include "cli/screen/live_log.hpp"
#include "cli/usage.hpp"
#include "config/bellows_file.hpp"
#include "config/sources/logging.hpp"

namespace bellows::cli {

namespace {

using namespace std::chrono_literals;

/// Short windows, so that the show is over in about a minute; the words in docs and help say so.
config::RunSettings demo_settings() {
  config::RunSettings settings;
  settings.listen.port = 0;
  settings.admin.port = 0;
  settings.revision.window = 10s;
  settings.revision.panic_window_percentage = 30;
  settings.revision.scale_to_zero_grace_period = 3s;
  settings.revision.target = 30;
  settings.revision.max_scale = 20;
  return settings;
}

constexpr std::string_view kOpening =
    "A sample service that takes 500 ms to start and 200 ms per request. A replica is planned\n"
    "with 21 requests in flight (70 % of its target of 30). The windows are short for the show:\n"
    "stable 10 s instead of 60 s, panic 3 s instead of 6 s, grace 3 s instead of 30 s. It takes\n"
    "about a minute.\n";

/// What the story came to.
struct Outcome {
  Result<void> played = fail(ErrorKind::kCancelled, "demo", "stopped before its end");
  std::vector<std::string> summary;
  bool all_answered = false;
};

http::Awaitable<void> play(http::net::io_context& io, Machine& machine, MachineAddresses addresses,
                           const sys::Clock& clock, LiveArea& area, Outcome& outcome) {
  Demo demo(io, clock, machine, std::move(addresses), area);
  outcome.played = co_await demo.play();
  outcome.summary = demo.summary();
  outcome.all_answered = demo.all_answered();
}

}  // namespace

int show_demo(const Command& command, const Arguments& arguments) {
  const auto layers = read_layers(command, arguments);
  if (!layers) return kSuccess;
  if (!arguments.words.empty() || !arguments.flags.empty())
    return complain(command, "takes no arguments");
  const config::RunSettings settings = demo_settings();
  auto service = config::single_service(settings, {beside_this_program("sample-app")});
  if (!service) return complain(command, service.error());
  config::start_logging(settings.log, "bellows");
  std::cout << kOpening << std::flush;

  Outcome outcome;
  Result<void> ran;
  {
    LiveLog live(detect_terminal());
    ran = run_until_told(
        settings, {std::move(*service)},
        [&](http::net::io_context& io, Machine& machine, const MachineAddresses& addresses) {
          return play(io, machine, addresses, sys::system_clock(), live.area(), outcome);
        });
  }
  if (!ran) return give_up(command, ran.error());
  for (const std::string& line : outcome.summary) std::cout << line << "\n";
  if (!outcome.played) return give_up(command, outcome.played.error());
  return outcome.all_answered ? kSuccess : kFailure;
}

}  // namespace bellows::cli
