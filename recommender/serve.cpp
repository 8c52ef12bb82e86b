#include "recommender/serve.hpp"

#include <boost/asio/co_spawn.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "base/sys/clock.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/sources/logging.hpp"
#include "config/sources/program_settings.hpp"
#include "http/io/client.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "json/error_page.hpp"
#include "recommender/service/program.hpp"

namespace bellows::recommender {

namespace {

constexpr int kUsage = 2;

http::Awaitable<int> run(http::net::io_context& io,
                         const config::RecommenderProgramSettings& settings) {
  Program program(io, sys::system_clock(), settings);
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&program](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    program.end();
  });
  if (const auto started = program.start(); !started) {
    std::cerr << "recommender: " << to_string(started.error()) << "\n";
    co_return EXIT_FAILURE;
  }
  co_await program.serve_until_end();
  co_return EXIT_SUCCESS;
}

Result<http::Response> ask(const Endpoint& admin, const std::string& path) {
  http::net::io_context io(1);
  std::optional<Result<http::Response>> answer;
  http::net::co_spawn(io, http::fetch(admin, "GET", path),
                      [&answer](const std::exception_ptr& failure, Result<http::Response> got) {
                        if (failure) std::rethrow_exception(failure);
                        answer = std::move(got);
                      });
  io.run();
  return *std::move(answer);
}

}  // namespace

int serve(int argc, char** argv) {
  const auto settings = config::read_program_settings(
      config::recommender_program_schema(), "recommender serve",
      "Recommends sizes from what a Prometheus or a file says.", argc, argv);
  if (!settings) return settings.error();
  if (settings->prometheus.endpoint.empty() && settings->usage_file.empty()) {
    std::cerr << "recommender serve: want --prometheus-address or --usage-file, it has nothing to "
                 "learn from otherwise\n";
    return kUsage;
  }
  config::start_logging(settings->log, "recommender");
  return http::run_program([&](http::net::io_context& io) { return run(io, *settings); });
}

int explain_live(const std::string& name, const std::string& admin, const std::string& policy) {
  const auto endpoint = parse_endpoint(admin);
  if (!endpoint) {
    std::cerr << "recommender: --admin: " << to_string(endpoint.error()) << "\n";
    return kUsage;
  }
  const std::string query = policy.empty() ? "" : "?policy=" + policy;
  const auto answer = ask(*endpoint, "/v1/recommendations/" + name + "/explain" + query);
  if (!answer) {
    std::cerr << "recommender: " << to_string(answer.error()) << "\n";
    return EXIT_FAILURE;
  }
  if (answer->status == 200) {
    std::cout << answer->body;
    return EXIT_SUCCESS;
  }
  const auto told = json::parse_error_page(answer->body);
  std::cerr << "recommender: " << (told ? to_string(*told) : answer->body) << (told ? "\n" : "");
  return EXIT_FAILURE;
}

}  // namespace bellows::recommender
