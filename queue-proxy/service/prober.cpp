#include "queue-proxy/service/prober.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <utility>

namespace bellows::queue_proxy {

Prober::Prober(http::net::io_context& io, const sys::Clock& clock, AppProbe probe,
               ProbeSchedule schedule, std::function<void()> on_change)
    : clock_(clock),
      probe_(std::move(probe)),
      readiness_(schedule, clock.now()),
      on_change_(std::move(on_change)),
      next_(io),
      tasks_(io) {}

void Prober::start() {
  tasks_.spawn("probe the app", [this] { return run(); });
}

http::Task<void> Prober::run() {
  while (readiness_.state() != ReadinessState::kDraining) {
    const auto asked = co_await probe_.ask();
    const bool was_ready = readiness_.is_ready();
    if (asked) {
      readiness_.probe_succeeded(clock_.now());
    } else {
      readiness_.probe_failed(to_string(asked.error()), asked.error().kind() == ErrorKind::kRefused,
                              clock_.now());
    }
    tell_change(was_ready);
    next_.expires_at(http::to_steady(readiness_.next_probe()));
    boost::system::error_code cut_short;
    co_await next_.async_wait(
        http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), cut_short));
  }
}

void Prober::app_lost(std::string_view why) {
  const bool was_ready = readiness_.is_ready();
  readiness_.app_lost(why, clock_.now());
  tell_change(was_ready);
  next_.cancel();
}

void Prober::start_draining() {
  readiness_.start_draining();
  next_.cancel();
}

http::Task<void> Prober::stop(TimePoint deadline) {
  tasks_.stop();
  co_await tasks_.join(deadline);
}

void Prober::tell_change(bool was_ready) {
  if (was_ready != readiness_.is_ready()) on_change_();
}

}  // namespace bellows::queue_proxy
