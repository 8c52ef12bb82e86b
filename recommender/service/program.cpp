#include "recommender/service/program.hpp"

#include <memory>

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "http/io/admin_server.hpp"
#include "recommender/service/file_source.hpp"
#include "recommender/service/prometheus_source.hpp"

namespace bellows::recommender {

namespace {

constexpr Duration kStopTime = std::chrono::seconds(2);

}  // namespace

Program::Program(http::net::io_context& io, const sys::Clock& clock,
                 const config::RecommenderProgramSettings& settings)
    : clock_(clock),
      settings_(settings),
      metrics_(kVersion),
      service_(io, clock, metrics_, {.policies = settings.policies, .loop = settings.loop}),
      server_(io),
      end_(io) {
  if (!settings.prometheus.endpoint.empty()) {
    service_.add_source(
        std::make_unique<PrometheusSource>(settings.prometheus, settings.loop.usage_interval),
        settings.loop.usage_interval);
  }
  if (!settings.usage_file.empty()) {
    service_.add_source(std::make_unique<FileSource>(settings.usage_file),
                        settings.loop.usage_interval);
  }
  service_.add_routes(server_);
  http::add_admin_pages(server_, {.readiness =
                                      [] {
                                        return http::Readiness{true, ""};
                                      },
                                  .metrics =
                                      [this] {
                                        service_.refresh_metrics();
                                        return metrics_.expose();
                                      }});
}

Result<void> Program::start() {
  BELLOWS_TRY(address_, server_.listen(settings_.listen));
  service_.start();
  sys::log::info("listening", {{"address", to_string(address_)}});
  return {};
}

http::Awaitable<void> Program::serve_until_end() {
  co_await end_.wait();
  const TimePoint deadline = clock_.now() + kStopTime;
  co_await service_.stop(deadline);
  co_await server_.stop(deadline);
}

}  // namespace bellows::recommender
