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
#include "recommender/kubernetes/io/program.hpp"
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

http::Awaitable<int> run_on_cluster(http::net::io_context& io, const Invocation& invocation,
                                    const config::RecommenderProgramSettings& settings) {
  const Result<int> code = co_await serve_on_kubernetes(io, settings);
  co_return code ? *code : report_error(invocation, code.error());
}

}  // namespace

int run_serve(const Invocation& invocation) {
  const auto settings = config::recommender_program_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty()) return usage_error(invocation, "want flags only");
  const bool has_source = !settings->prometheus.endpoint.empty() || !settings->usage_file.empty();
  const bool is_on_cluster = settings->cluster == config::RecommenderCluster::kKubernetes;
  if (is_on_cluster == has_source) {
    return usage_error(invocation, is_on_cluster
                                       ? "want --cluster kubernetes or a source of usage, not both"
                                       : "want --cluster kubernetes, or --prometheus-address or "
                                         "--usage-file as a source of usage");
  }
  config::start_logging(settings->log, "recommender");
  return http::run_program([&](http::net::io_context& io) {
    return is_on_cluster ? run_on_cluster(io, invocation, *settings)
                         : run(io, invocation, *settings);
  });
}

}  // namespace bellows::recommender
