// bellows demo: a sample service scales from zero, through a burst, back to zero.
#include <iostream>
#include <string>

#include "base/sys/sibling_program.hpp"
#include "cli/commands.hpp"
#include "cli/demo/demo.hpp"
#include "cli/screen/live_log.hpp"
#include "config/bellows_file.hpp"
#include "config/sources/logging.hpp"
#include "machine/service/run_until_signalled.hpp"

namespace bellows::cli {

namespace {

using namespace std::chrono_literals;

/// Short windows, so that the demonstration takes about a minute. Docs and help state them.
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

constexpr std::string_view kIntroduction =
    "A sample service that takes 500 ms to start and 200 ms per request. The autoscaler plans for\n"
    "21 requests in flight per replica (70 % of its target of 30). The windows are shorter than\n"
    "usual: stable 10 s instead of 60 s, panic 3 s instead of 6 s, grace period 3 s instead of\n"
    "30 s. It takes about a minute.\n";

/// Returns a remark for the summary of an unoptimized build; empty for others.
std::string_view build_note() {
#ifdef __OPTIMIZE__
  return "";
#else
  return "This build is not optimized (preset dev). Programs of the preset release use less CPU "
         "time.\n";
#endif
}

/// The result of the demonstration.
struct Outcome {
  Result<void> ran = fail(ErrorKind::kCancelled, "demo", "stopped before it was complete");
  std::vector<std::string> summary;
  bool all_succeeded = false;
};

http::Awaitable<void> run_demo(http::net::io_context& io, machine::Machine& machine,
                               machine::MachineAddresses addresses, const sys::Clock& clock,
                               LiveArea& area, Outcome& outcome) {
  Demo demo(io, clock, machine, std::move(addresses), area);
  outcome.ran = co_await demo.run();
  outcome.summary = demo.summary();
  outcome.all_succeeded = demo.all_succeeded();
}

}  // namespace

int show_demo(const Invocation& invocation) {
  const command::Arguments& arguments = invocation.arguments;
  if (!arguments.positional.empty() || !arguments.flags().empty())
    return usage_error(invocation, "takes no arguments");
  const config::RunSettings settings = demo_settings();
  auto service = config::single_service(settings, {sys::sibling_program("sample-app")});
  if (!service) return usage_error(invocation, service.error());
  config::start_logging(settings.log, "bellows");
  std::cout << kIntroduction << std::flush;

  Outcome outcome;
  Result<void> ran;
  {
    LiveLog live(detect_terminal());
    ran = machine::run_until_signalled(settings, {std::move(*service)},
                                       [&](http::net::io_context& io, machine::Machine& machine,
                                           const machine::MachineAddresses& addresses) {
                                         return run_demo(io, machine, addresses,
                                                         sys::system_clock(), live.area(), outcome);
                                       });
  }
  if (!ran) return report_failure(invocation, ran.error());
  for (const std::string& line : outcome.summary) std::cout << line << "\n";
  std::cout << build_note();
  if (!outcome.ran) return report_failure(invocation, outcome.ran.error());
  return outcome.all_succeeded ? kSuccess : kFailure;
}

}  // namespace bellows::cli
