#include "kubernetes/io/informer.hpp"

#include <boost/asio/this_coro.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"

namespace bellows::kubernetes {

Informer::Informer(ApiClient& client, ListWatchOptions options, ObjectSink& sink, Random& random,
                   std::function<void(const Error&)> rejected)
    : client_(client),
      resource_(options.resource),
      ns_(options.ns),
      name_(to_string(options.resource)),
      list_watch_(std::move(options), sink, random, std::move(rejected)) {}

http::Awaitable<void> Informer::run() {
  for (;;) {
    const ListWatchAction action = list_watch_.next(sys::system_clock().now());
    if (const auto* wait = std::get_if<ListWatchWait>(&action)) {
      const bool is_over = co_await http::sleep_until(wait->until);
      if (!is_over) co_return;
      continue;
    }
    co_await carry_out(std::get<ListWatchRequest>(action));
    // Without this, a retry after a failure that needs no wait would not see that the group was
    // stopped.
    const auto state = co_await http::net::this_coro::cancellation_state;
    if (state.cancelled() != http::net::cancellation_type::none) co_return;
  }
}

http::Awaitable<void> Informer::carry_out(ListWatchRequest request) {
  ApiRequest call(request.is_watch ? ApiVerb::kWatch : ApiVerb::kList, resource_, ns_);
  ApiStream into;
  into.on_head = [this](int http_status, std::optional<Duration> retry_after) {
    list_watch_.answered(http_status, retry_after, sys::system_clock().now());
  };
  into.on_chunk = [this](std::string_view chunk) {
    return list_watch_.body(chunk, sys::system_clock().now());
  };
  const Result<void> done = co_await client_.stream(std::move(call), std::move(request.target),
                                                    request.deadline, std::move(into));
  if (done) {
    list_watch_.ended(sys::system_clock().now());
  } else {
    list_watch_.failed(done.error(), sys::system_clock().now());
  }
}

}  // namespace bellows::kubernetes
