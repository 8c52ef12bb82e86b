// The program `activator`: settings, ports, and on until a signal says stop.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "activator/program.hpp"
#include "config/command_line.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace bellows::activator {
namespace {

constexpr const char* kAbout = "Holds requests for replicas that are not there yet.";
constexpr int kBadSettings = 2;

/// Until SIGTERM or SIGINT; a second one ends at once.
http::Task<int> run(http::net::io_context& io, config::ActivatorSettings settings) {
  SeededRandom random((std::uint64_t{std::random_device()()} << 32U) | std::random_device()());
  Program program(io, sys::system_clock(), random, std::move(settings));
  if (const Result<void> started = program.start(); !started) {
    std::fprintf(stderr, "activator: %s\n", to_string(started.error()).c_str());
    co_return EXIT_FAILURE;
  }
  http::Event leave(io);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    leave.set();
  });
  co_await leave.wait();
  co_await program.drain_and_stop();
  co_return EXIT_SUCCESS;
}

}  // namespace
}  // namespace bellows::activator

int main(int argc, char** argv) {
  using namespace bellows;
  const auto& schema = config::activator_schema();
  const auto& declared = schema.declarations();
  const config::CommandLine line = config::read_command_line(
      "activator", activator::kAbout, declared, std::vector<std::string>(argv + 1, argv + argc));
  if (!line.help.empty()) {
    std::fputs(line.help.c_str(), stdout);
    return EXIT_SUCCESS;
  }
  const std::vector<config::Layer> layers{
      config::environment_layer(declared, config::read_environment()), line.flags};
  auto settings = schema.apply(layers);
  if (!settings) {
    for (const Error& mistake : settings.error()) {
      std::fprintf(stderr, "activator: %s\n", to_string(mistake).c_str());
    }
    return activator::kBadSettings;
  }
  config::start_logging(settings->log, "activator");
  return http::run_program(
      [&settings](http::net::io_context& io) { return activator::run(io, std::move(*settings)); });
}
