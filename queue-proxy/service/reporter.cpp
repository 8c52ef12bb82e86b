#include "queue-proxy/service/reporter.hpp"

#include <utility>

namespace bellows::queue_proxy {

Reporter::Reporter(http::net::io_context& io, const sys::Clock& clock, RevisionId revision,
                   PodName pod, std::uint64_t boot, Measured measured, metrics::StatSink& sink)
    : clock_(clock), measured_(measured), sink_(sink), tasks_(io) {
  stat_.revision = std::move(revision);
  stat_.pod = std::move(pod);
  stat_.boot = boot;
}

void Reporter::start() {
  tasks_.spawn("report each second", [this] { return run(); });
}

http::Awaitable<void> Reporter::run() {
  TimePoint end = clock_.now();
  for (;;) {
    end = metrics::next_second_end(end, clock_.now());
    const bool is_running = co_await http::sleep_until(end);
    if (!is_running) co_return;
    close_second();
  }
}

void Reporter::close_second() {
  const TimePoint now = clock_.now();
  const metrics::MeterReading load = measured_.load.close_second(now);
  stat_.concurrency = load.mean;
  stat_.peak = load.peak;
  stat_.requests = load.requests;
  metrics::ReplicaReading reading = measured_.service.close_second();
  measured_.app.add_to(reading, now);
  stat_.reading = metrics::ReadingPtr(reading);
  stat_.is_occupied = measured_.occupancy.is_occupied(now);
  stat_.counter = measured_.occupancy.counter();
  sink_.accept(stat_);
  ++stat_.sequence;
}

http::Awaitable<void> Reporter::stop(TimePoint deadline) {
  tasks_.stop();
  co_await tasks_.join(deadline);
}

}  // namespace bellows::queue_proxy
