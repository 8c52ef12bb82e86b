// autoscaler: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>

#include "autoscaler/service/program.hpp"
#include "base/sys/clock.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "config/command_line.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace {

using namespace bellows;

http::Task<int> run(http::net::io_context& io, const config::AutoscalerSettings& settings) {
  SeededRandom random((std::uint64_t{std::random_device()()} << 32U) | std::random_device()());
  cluster::RemoteCluster cluster(io, sys::system_clock(), random, settings.cluster);
  autoscaler::Program program(io, cluster, sys::system_clock(), settings);
  if (const auto started = program.start(); !started) {
    std::cerr << "autoscaler: " << to_string(started.error()) << "\n";
    co_return 1;
  }
  cluster.start();
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&program](int, int count) {
    if (count > 1) std::_Exit(1);
    program.end();
  });
  co_await program.serve_until_end();
  co_await cluster.stop(sys::system_clock().now() + std::chrono::seconds(2));
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto& schema = config::autoscaler_schema();
  const config::CommandLine line = config::read_command_line(
      "autoscaler", "Decides how many replicas each service runs, from the stats of its replicas",
      schema.declarations(), {argv + 1, argv + argc});
  if (!line.help.empty()) {
    std::cout << line.help;
    return 0;
  }
  auto settings = schema.apply(
      {config::environment_layer(schema.declarations(), config::read_environment()), line.flags});
  if (!settings) {
    for (const Error& mistake : settings.error()) {
      std::cerr << "autoscaler: " << to_string(mistake) << "\n";
    }
    return 2;
  }
  config::start_logging(settings->log, "autoscaler");
  return http::run_program([&](http::net::io_context& io) { return run(io, *settings); });
}
