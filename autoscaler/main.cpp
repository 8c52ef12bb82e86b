// autoscaler: parse, build, run, stop.
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "autoscaler/service/program.hpp"
#include "base/sys/entropy.hpp"
#include "cluster/remote/remote_cluster.hpp"
#include "command/service_settings.hpp"
#include "config/sources/logging.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"

namespace {

using namespace bellows;

constexpr Duration kStopTimeout = std::chrono::seconds(2);

/// Until SIGTERM or SIGINT; a second one ends at once.
http::Awaitable<int> run(http::net::io_context& io, const config::AutoscalerSettings& settings) {
  SeededRandom random(sys::random_seed());
  cluster::RemoteCluster cluster(io, sys::system_clock(), random, settings.cluster);
  autoscaler::Program program(io, cluster, sys::system_clock(), settings);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&program](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    program.end();
  });
  if (const auto started = program.start(); !started) {
    std::cerr << "autoscaler: " << to_string(started.error()) << "\n";
    co_return EXIT_FAILURE;
  }
  cluster.start();
  co_await program.serve_until_end();
  co_await cluster.stop(sys::system_clock().now() + kStopTimeout);
  co_return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const auto settings = command::read_service_settings(
      config::autoscaler_schema(), "autoscaler",
      "Decides how many replicas each service runs, from the stats of its replicas", argc, argv);
  if (!settings) return settings.error();
  config::start_logging(settings->log, "autoscaler");
  return http::run_program([&](http::net::io_context& io) { return run(io, *settings); });
}
