#include "http/io/net.hpp"

#include <sys/un.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/websocket/error.hpp>
#include <cstring>
#include <utility>

namespace bellows::http {

namespace {

namespace beast_http = boost::beast::http;
namespace beast_websocket = boost::beast::websocket;

bool is_system(const boost::system::error_code& error) {
  return error.category() == boost::system::system_category();
}

ErrorKind kind_of(const boost::system::error_code& error) {
  if (error == net::error::operation_aborted) return ErrorKind::kCancelled;
  if (error == net::error::eof || error == beast_http::error::end_of_stream ||
      error == beast_http::error::partial_message || error == beast_websocket::error::closed)
    return ErrorKind::kReset;
  if (error == beast_http::error::body_limit || error == beast_http::error::header_limit ||
      error == beast_http::error::buffer_overflow ||
      error == beast_websocket::error::message_too_big)
    return ErrorKind::kTooLarge;
  if (error == net::error::host_not_found || error == net::error::no_data)
    return ErrorKind::kNotFound;
  // Maps the conditions of TLS's errors.
  if (error == boost::system::errc::connection_reset) return ErrorKind::kReset;
  if (error == boost::system::errc::permission_denied) return ErrorKind::kInvalidSetting;
  if (error == boost::system::errc::protocol_not_supported) return ErrorKind::kUnsupported;
  if (error == net::error::host_not_found_try_again) return ErrorKind::kTimeout;
  return ErrorKind::kMalformed;
}

}  // namespace

Error net_error(std::string culprit, std::string_view what,
                const boost::system::error_code& error) {
  if (is_system(error)) return system_error(std::move(culprit), what, error.value());
  const bool is_gone = error == net::error::eof || error == beast_http::error::end_of_stream ||
                       error == beast_http::error::partial_message;
  std::string message(what);
  message += ": ";
  message += is_gone ? "the other side closed the connection" : error.message();
  return Error(kind_of(error), std::move(culprit), std::move(message));
}

std::string peer_name(const StreamSocket& socket) {
  boost::system::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return "a peer that is gone";
  if (remote.protocol().family() == AF_UNIX) {
    const auto* address = reinterpret_cast<const sockaddr_un*>(remote.data());
    const std::size_t size = remote.size() - offsetof(sockaddr_un, sun_path);
    const std::string path(address->sun_path, strnlen(address->sun_path, size));
    return path.empty() ? "unix" : "unix:" + path;
  }
  net::ip::tcp::endpoint tcp;
  std::memcpy(tcp.data(), remote.data(), std::min(remote.size(), tcp.capacity()));
  const std::string host = tcp.address().to_string();
  return (tcp.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(tcp.port());
}

}  // namespace bellows::http
