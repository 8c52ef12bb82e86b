// Runs one coroutine to its end, with a timeout.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "http/io/net.hpp"

namespace bellows::test {

/// Far above what a passing test needs on a busy machine: it only ends a test that hangs.
constexpr std::chrono::seconds kPatience(300);

/// Runs `body` on `io` until it has ended (not until everything it started has), and returns what
/// it returns. Throws the exception of `body`, or std::runtime_error after the timeout; both fail
/// the test.
template <class T>
T run_task(http::net::io_context& io, std::function<http::Awaitable<T>()> body) {
  bool is_done = false;
  std::exception_ptr exception;
  std::conditional_t<std::is_void_v<T>, bool, std::optional<T>> result{};
  auto run = [&]() -> http::Awaitable<void> {
    if constexpr (std::is_void_v<T>) {
      co_await body();
    } else {
      result.emplace(co_await body());
    }
  };
  http::net::co_spawn(io, run, [&](const std::exception_ptr& thrown) {
    exception = thrown;
    is_done = true;
    io.stop();
  });
  io.restart();
  io.run_for(kPatience);
  if (!is_done) throw std::runtime_error("the task did not end in time");
  if (exception) std::rethrow_exception(exception);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// The same for a body without a result, on a new io_context that is its argument.
inline void run_task(const std::function<http::Awaitable<void>(http::net::io_context&)>& body) {
  http::net::io_context io;
  run_task<void>(io, [&]() -> http::Awaitable<void> { co_await body(io); });
}

}  // namespace bellows::test
