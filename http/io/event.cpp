#include "http/io/event.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace bellows::http {

Event::Event(net::io_context& io) : timer_(io, AsioTimer::time_point::max()) {}

void Event::set() {
  is_set_ = true;
  timer_.cancel();
}

Awaitable<void> Event::wait() {
  while (!is_set_) {
    // Cancelled by set(); a stopped task throws at its next wait.
    boost::system::error_code cancelled;
    co_await timer_.async_wait(net::redirect_error(net::use_awaitable_t<Executor>(), cancelled));
  }
}

}  // namespace bellows::http
