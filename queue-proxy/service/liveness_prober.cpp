#include "queue-proxy/service/liveness_prober.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace bellows::queue_proxy {

LivenessProber::LivenessProber(http::net::io_context& io, const sys::Clock& clock, AppProbe probe,
                               LivenessSchedule schedule, LivenessCallbacks callbacks)
    : clock_(clock),
      probe_(std::move(probe)),
      liveness_(schedule),
      callbacks_(std::move(callbacks)),
      next_(io),
      tasks_(io) {}

void LivenessProber::app_ready() {
  const bool was_resting = !liveness_.next_probe();
  liveness_.app_ready(clock_.now());
  if (!was_resting || !liveness_.next_probe()) return;
  answers_ = callbacks_.answers();
  tasks_.spawn("probe whether the app lives", [this, number = ++run_] { return run(number); });
}

void LivenessProber::rest() {
  ++run_;
  liveness_.rest();
  next_.cancel();
}

http::Awaitable<void> LivenessProber::run(std::uint64_t number) {
  while (number == run_ && liveness_.next_probe()) {
    next_.expires_after(*liveness_.next_probe() - clock_.now());
    boost::system::error_code cancelled;
    co_await next_.async_wait(
        http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), cancelled));
    if (number != run_) co_return;
    if (clock_.now() >= *liveness_.next_probe()) co_await probe(number);
  }
}

http::Awaitable<void> LivenessProber::probe(std::uint64_t number) {
  liveness_.probe_began(clock_.now());
  const std::uint64_t before = std::exchange(answers_, callbacks_.answers());
  const auto result = co_await probe_.run();
  if (number != run_) co_return;
  if (result) {
    liveness_.probe_succeeded(clock_.now());
    co_return;
  }
  const bool is_silent = result.error().kind() == ErrorKind::kTimeout;
  liveness_.probe_failed(to_string(result.error()),
                         is_silent ? LivenessFailure::kNoAnswer : LivenessFailure::kBad,
                         callbacks_.answers() != before, clock_.now());
  if (liveness_.is_hung()) callbacks_.on_hung();
}

http::Awaitable<void> LivenessProber::stop(TimePoint deadline) {
  rest();
  tasks_.stop();
  co_await tasks_.join(deadline);
}

}  // namespace bellows::queue_proxy
