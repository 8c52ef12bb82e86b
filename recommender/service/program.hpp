// `recommender serve`: the recommender as a program.
#pragma once

#include "base/sys/clock.hpp"
#include "config/recommender_program_settings.hpp"
#include "http/io/event.hpp"
#include "http/io/service_server.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "recommender/service/recommender_service.hpp"

namespace bellows::recommender {

/// Owner: main(). Thread: the io thread. The arguments of the constructor outlive it.
class Program {
 public:
  Program(http::net::io_context& io, const sys::Clock& clock,
          const config::RecommenderProgramSettings& settings);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Opens the port. The error names the address. The program is ready as soon as it listens,
  /// whether or not its sources respond.
  Result<void> start();
  const Endpoint& address() const { return address_; }

  /// Starts the shutdown: serve_until_end() saves and returns.
  void end() { end_.set(); }
  http::Awaitable<void> serve_until_end();

 private:
  const sys::Clock& clock_;
  const config::RecommenderProgramSettings settings_;
  metrics::prometheus::Registry metrics_;
  RecommenderService service_;
  http::ServiceServer server_;
  Endpoint address_;
  http::Event end_;
};

}  // namespace bellows::recommender
