#include "cli/machine/side_thread.hpp"

#include <boost/asio/post.hpp>
#include <memory>
#include <thread>
#include <utility>

#include "http/io/event.hpp"

namespace bellows::cli {

http::Awaitable<void> on_side_thread(http::net::io_context& io, std::function<void()> work) {
  // Owners: this call, and the handler that is posted, which may run after it.
  const auto done = std::make_shared<http::Event>(io);
  const std::jthread thread([&io, done, work = std::move(work)] {
    work();
    http::net::post(io, [done] { done->set(); });
  });
  co_await done->wait();
}

}  // namespace bellows::cli
