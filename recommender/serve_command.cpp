// recommender serve: recommends until it is signalled.
#include <csignal>
#include <cstdlib>
#include <string>

#include "base/sys/clock.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/sources/logging.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "recommender/commands.hpp"
#include "recommender/service/program.hpp"

namespace bellows::recommender {

namespace {

http::Awaitable<int> run(http::net::io_context& io, const Invocation& invocation,
                         const config::RecommenderProgramSettings& settings) {
  Program program(io, sys::system_clock(), settings);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&program](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    program.end();
  });
  if (const auto started = program.start(); !started) {
    co_return report_failure(invocation, started.error());
  }
  co_await program.serve_until_end();
  co_return kSuccess;
}

}  // namespace

int run_serve(const Invocation& invocation) {
  const auto settings = config::recommender_program_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty()) return usage_error(invocation, "want flags only");
  if (settings->prometheus.endpoint.empty() && settings->usage_file.empty()) {
    return usage_error(invocation,
                       "want --prometheus-address or --usage-file as a source of usage");
  }
  config::start_logging(settings->log, "recommender");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, invocation, *settings); });
}

}  // namespace bellows::recommender
