// activator: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "activator/program.hpp"
#include "base/sys/entropy.hpp"
#include "config/sources/logging.hpp"
#include "config/sources/program_settings.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace {

using namespace bellows;

/// Until SIGTERM or SIGINT; a second one ends at once.
http::Awaitable<int> run(http::net::io_context& io, config::ActivatorSettings settings) {
  SeededRandom random(sys::random_seed());
  activator::Program program(io, sys::system_clock(), random, std::move(settings));
  http::Event leave(io);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&leave](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    leave.set();
  });
  if (const auto started = program.start(); !started) {
    std::cerr << "activator: " << to_string(started.error()) << "\n";
    co_return EXIT_FAILURE;
  }
  co_await leave.wait();
  co_await program.drain_and_stop();
  co_return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  auto settings = config::read_program_settings(
      config::activator_schema(), "activator",
      "Holds requests for replicas that are not there yet, and spreads them over those that are",
      argc, argv);
  if (!settings) return settings.error();
  config::start_logging(settings->log, "activator");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, std::move(*settings)); });
}
