// The parts of Asio that Bellows uses, with its executor. Every program runs its sockets on one
// io_context with one thread, so nothing here needs a strand or a lock.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/wait_traits.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::http {

namespace net = boost::asio;

using Executor = net::io_context::executor_type;

/// A coroutine on the io thread. Its parameters are values, or references to objects that outlive
/// it by construction.
/// Defect of g++ 12: a coroutine with a co_await of an Awaitable in a condition, `if (!co_await
/// f())` or `while (co_await f())`, gets a frame of the wrong layout (a wild `this` on resume).
/// Give the value a name first.
/// Defect of g++ 12: an aggregate made by braces among the arguments of an awaited call is copied
/// byte by byte, and both are destroyed. So `co_await f({.name = "x"})` is for trivially copyable
/// types; give others a constructor, or a name.
template <class T>
using Awaitable = net::awaitable<T, Executor>;

using TcpSocket = net::basic_stream_socket<net::ip::tcp, Executor>;
/// A connected TCP or Unix socket: one type for both, so templates are instantiated once.
using StreamSocket = net::basic_stream_socket<net::generic::stream_protocol, Executor>;
using AsioTimer = net::basic_waitable_timer<std::chrono::steady_clock,
                                            net::wait_traits<std::chrono::steady_clock>, Executor>;

/// Makes a completion token: the coroutine waits for the operation, whose error is stored in
/// `error`. `co_await socket.async_read_some(buffer, awaiting(error))`.
inline auto awaiting(boost::system::error_code& error) {
  return net::redirect_error(net::use_awaitable_t<Executor>{}, error);
}

/// Converts a TimePoint for Asio's timers (the same clock).
inline std::chrono::steady_clock::time_point to_steady(TimePoint at) {
  return std::chrono::steady_clock::time_point(at.time_since_epoch());
}

/// Makes the Error of a failed operation on a socket: kReset if the other side has closed,
/// kCancelled, kTimeout, kMalformed, kTooLarge, or by errno. "CULPRIT: WHAT: reason".
Error net_error(std::string culprit, std::string_view what, const boost::system::error_code& error);

/// Returns "127.0.0.1:51234", "unix:/path", or "unix" for a peer without a name; for logs.
std::string peer_name(const StreamSocket& socket);

}  // namespace bellows::http
