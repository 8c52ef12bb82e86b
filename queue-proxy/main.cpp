// queue-proxy: parse, build, run, stop.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "base/sys/entropy.hpp"
#include "base/sys/start_code.hpp"
#include "command/service_settings.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/service/notifier.hpp"
#include "queue-proxy/service/service.hpp"

namespace {

using namespace bellows;

/// Runs until SIGTERM or SIGINT; a second signal exits at once. A queue-proxy that notifies its
/// parent ends when the parent decides so: a service manager signals all processes at once, but
/// requests that still wait at the parent need this one. The parent ends it at once by SIGKILL.
http::Awaitable<int> run(http::net::io_context& io, config::QueueProxySettings settings) {
  SeededRandom random(sys::random_seed());
  const bool has_parent = settings.notify_fd >= 0;
  const pid_t parent = ::getppid();
  queue_proxy::Service service(io, sys::system_clock(), random, std::move(settings));
  http::Event stop(io);
  http::TaskGroup waiting(io);
  const auto wait_for_parent = [&]() -> http::Awaitable<void> {
    if (co_await http::sleep_for(service.time_for_parent())) stop.set();
  };
  const http::Signals end_signals(io, {SIGTERM, SIGINT}, [&](int, int count) {
    if (has_parent && end_signals.sender() != parent) {
      service.signalled_by_stranger();
      if (count == 1) waiting.spawn("wait for the parent's word", wait_for_parent);
      return;
    }
    if (!has_parent && count > 1) std::_Exit(EXIT_FAILURE);
    stop.set();
  });
  const http::Signals restart_signals(io, {SIGHUP},
                                      [&service](int, int) { service.app_restarted(); });
  if (const auto started = service.start(); !started) {
    std::cerr << "queue-proxy: " << to_string(started.error()) << "\n";
    co_return EXIT_FAILURE;
  }
  sys::release_start_code();
  co_await stop.wait();
  waiting.stop();
  co_await service.drain_and_stop();
  co_return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  auto settings = command::read_service_settings(config::queue_proxy_schema(), "queue-proxy",
                                                 config::kQueueProxySummary, argc, argv);
  if (!settings) return settings.error();
  // This runs before the process opens descriptors, which could get that number.
  if (const auto inherited = queue_proxy::Notifier::check(settings->notify_fd); !inherited) {
    std::cerr << "queue-proxy: " << to_string(inherited.error()) << "\n";
    return 2;
  }
  config::start_logging(settings->log, "queue-proxy");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, std::move(*settings)); });
}
