#include "http/io/side_thread.hpp"

#include <boost/asio/post.hpp>
#include <memory>
#include <thread>
#include <utility>

#include "http/io/event.hpp"

namespace bellows::http {

Awaitable<void> on_side_thread(net::io_context& io, std::function<void()> work) {
  // Owners: this call, and the handler that is posted, which may run after it.
  const auto done = std::make_shared<Event>(io);
  const std::jthread thread([&io, done, work = std::move(work)] {
    work();
    net::post(io, [done] { done->set(); });
  });
  co_await done->wait();
}

}  // namespace bellows::http
