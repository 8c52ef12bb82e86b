// Lets handlers wait for the rest of the program: a probe, a fetch.
#pragma once

#include <utility>

#include "http/io/wait_for.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Runs `awaitable` in the background and waits in the exchange for its value. If the exchange's
/// task is destroyed meanwhile, the awaitable continues by itself, so it must be bounded.
template <class T>
http::Task<T> wait_for_task(Exchange& exchange, http::Awaitable<T> awaitable) {
  return http::wait_for(exchange.waiter(), exchange.reactor().io(), std::move(awaitable));
}

}  // namespace bellows::proxy
