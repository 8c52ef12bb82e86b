// Runs one asynchronous operation of a command to its end.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "http/io/net.hpp"

namespace bellows::command {

/// Runs `io` until `operation` has completed, and returns its value. Other work of `io` stays
/// pending. An exception of the operation leaves this function. Do not call it from an io thread.
template <class T>
T run_blocking(http::net::io_context& io, http::Awaitable<T> operation) {
  std::optional<T> value;
  http::net::co_spawn(io, std::move(operation), [&value](std::exception_ptr failure, T result) {
    if (failure) std::rethrow_exception(failure);
    value.emplace(std::move(result));
  });
  io.restart();
  while (!value) io.run_one();
  return std::move(*value);
}

}  // namespace bellows::command
