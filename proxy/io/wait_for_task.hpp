// A bridge for handlers that need something from the rest of the program: a probe, a fetch.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Runs `task` beside the exchange's task and waits for its value. If the task is destroyed
/// meanwhile, the task runs on by itself: bound it.
template <class T>
http::Task<T> wait_for_task(Exchange& exchange, http::Awaitable<T> task) {
  struct Meeting {
    std::optional<T> value;
    http::Waiter* waiter = nullptr;
  };
  struct Guest {  // leaves the meeting when the task is destroyed
    std::shared_ptr<Meeting> meeting;
    ~Guest() { meeting->waiter = nullptr; }
  };
  const Guest guest{std::make_shared<Meeting>()};  // shared with the task's completion handler
  guest.meeting->waiter = &exchange.waiter();
  http::net::co_spawn(exchange.reactor().io(), std::move(task),
                      [meeting = guest.meeting](std::exception_ptr failure, T value) {
                        if (failure) std::rethrow_exception(failure);
                        meeting->value.emplace(std::move(value));
                        if (meeting->waiter != nullptr) meeting->waiter->wake();
                      });
  while (!guest.meeting->value) co_await exchange.waiter().wait();
  co_return std::move(*guest.meeting->value);
}

}  // namespace bellows::proxy
