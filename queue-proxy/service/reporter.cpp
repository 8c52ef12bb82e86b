#include "queue-proxy/service/reporter.hpp"

#include <utility>

namespace bellows::queue_proxy {

namespace {

/// Pause between steps. A step takes less than a tenth of it, so a search never takes the core from
/// requests.
constexpr Duration kBetweenSteps = std::chrono::milliseconds(2);

}  // namespace

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
    begin_search();
  }
}

void Reporter::begin_search() {
  if (is_searching_ || !measured_.app.search(clock_.now())) return;
  is_searching_ = true;
  tasks_.spawn("look for the app", [this] { return search(); });
}

http::Awaitable<void> Reporter::search() {
  bool may_go_on = true;
  while (may_go_on && measured_.app.search(clock_.now())) {
    may_go_on = co_await http::sleep_for(kBetweenSteps);
  }
  is_searching_ = false;
}

void Reporter::close_second() {
  const TimePoint now = clock_.now();
  const metrics::MeterReading load = measured_.load.close_second(now);
  stat_.concurrency = load.mean;
  stat_.peak = load.peak;
  stat_.requests = load.requests;
  metrics::ReplicaReading reading = measured_.service.close_second();
  measured_.app.add_to(reading);
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
