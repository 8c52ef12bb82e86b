// queue-proxy: parse, build, run, stop.
#include <csignal>
#include <iostream>
#include <random>
#include <vector>

#include "config/command_line.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "queue-proxy/service/service.hpp"

namespace {

using namespace bellows;

http::Task<int> run(http::net::io_context& io, config::QueueProxySettings settings) {
  SeededRandom random((std::uint64_t{std::random_device()()} << 32U) | std::random_device()());
  queue_proxy::Service service(io, sys::system_clock(), random, std::move(settings));
  if (const auto started = service.start(); !started) {
    std::cerr << "queue-proxy: " << to_string(started.error()) << "\n";
    co_return 1;
  }
  http::Event told(io);
  const http::Signals end_signals(io, {SIGTERM, SIGINT}, [&told](int, int count) {
    if (count > 1) std::_Exit(1);
    told.set();
  });
  const http::Signals restart_signals(io, {SIGHUP},
                                      [&service](int, int) { service.app_restarted(); });
  co_await told.wait();
  co_await service.drain_and_stop();
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto& schema = config::queue_proxy_schema();
  const config::CommandLine line = config::read_command_line(
      "queue-proxy",
      "The sidecar in front of one replica: limits, queues and measures its requests, and drains",
      schema.declarations(), {argv + 1, argv + argc});
  if (!line.help.empty()) {
    std::cout << line.help;
    return 0;
  }
  auto settings = schema.apply(
      {config::environment_layer(schema.declarations(), config::read_environment()), line.flags});
  if (!settings) {
    for (const Error& mistake : settings.error())
      std::cerr << "queue-proxy: " << to_string(mistake) << "\n";
    return 2;
  }
  config::start_logging(settings->log, "queue-proxy");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, std::move(*settings)); });
}
