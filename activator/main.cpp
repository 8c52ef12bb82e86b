// activator: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "activator/program.hpp"
#include "base/sys/entropy.hpp"
#include "command/service_settings.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace {

using namespace bellows;

/// Runs until SIGTERM or SIGINT; a second signal exits at once.
http::Awaitable<int> run(http::net::io_context& io, config::ActivatorSettings settings) {
  SeededRandom random(sys::random_seed());
  activator::Program program(io, sys::system_clock(), random, std::move(settings));
  http::Event shutdown(io);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&shutdown](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    shutdown.set();
  });
  if (const auto started = program.start(); !started) {
    std::cerr << "activator: " << to_string(started.error()) << "\n";
    co_return EXIT_FAILURE;
  }
  co_await shutdown.wait();
  co_await program.drain_and_stop();
  co_return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  auto settings = command::read_service_settings(
      config::activator_schema(), "activator",
      "Holds requests until a replica is ready, and balances them over the ready replicas", argc,
      argv);
  if (!settings) return settings.error();
  config::start_logging(settings->log, "activator");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, std::move(*settings)); });
}
