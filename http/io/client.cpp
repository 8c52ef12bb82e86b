#include "http/io/client.hpp"

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "http/io/connect.hpp"
#include "http/io/socket_deadline.hpp"

namespace bellows::http {

namespace {

namespace beast = boost::beast;
using BeastRequest = beast::http::request<beast::http::string_body>;
using ResponseParser = beast::http::response_parser<beast::http::string_body>;
using Headers = std::vector<std::pair<std::string, std::string>>;

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

Result<BeastRequest> build_request(const Endpoint& endpoint, const std::string& method,
                                   const std::string& target, std::string body,
                                   const Headers& headers) {
  if (!target.starts_with('/') || has_control_byte(target) || target.find(' ') != target.npos) {
    return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                "request target \"" + target +
                    "\": want a path that starts with '/' and has no "
                    "spaces or control characters");
  }
  BeastRequest request;
  request.method_string(method);
  request.target(target);
  request.set(beast::http::field::host, endpoint.is_unix() ? "localhost" : to_string(endpoint));
  request.set(beast::http::field::user_agent, "bellows");
  if (!body.empty()) request.set(beast::http::field::content_type, "application/json");
  for (const auto& [name, value] : headers) {
    if (name.empty() || name.find_first_of(" :") != name.npos || has_control_byte(name + value)) {
      return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                  "header \"" + name +
                      "\": want a name without spaces or colons, and no control "
                      "characters");
    }
    request.set(name, value);
  }
  request.body() = std::move(body);
  request.prepare_payload();
  request.keep_alive(false);
  return request;
}

Response to_response(beast::http::response<beast::http::string_body> message) {
  Response response;
  response.status = static_cast<int>(message.result_int());
  response.content_type = std::string(message[beast::http::field::content_type]);
  for (const auto& field : message)
    response.headers.emplace_back(field.name_string(), field.value());
  response.body = std::move(message.body());
  return response;
}

bool is_interim(unsigned status) {
  constexpr unsigned kSwitchingProtocols = 101;
  return status / 100 == 1 && status != kSwitchingProtocols;
}

Error upstream_error(const std::string& peer, std::string_view what,
                     const boost::system::error_code& error) {
  return net_error(peer, what, error).on(ErrorSide::kUpstream);
}

/// Lets a body that nobody wants come to its end, if that is near.
Awaitable<void> read_away(StreamSocket& socket, beast::flat_buffer& buffer, ResponseParser& parser,
                          std::size_t max) {
  constexpr Duration kNear = std::chrono::milliseconds(20);
  if (parser.content_length().value_or(0) > max) co_return;
  parser.body_limit(max);
  const SocketDeadline patience(socket, sys::system_clock().now() + kNear);
  boost::system::error_code ignored;
  co_await beast::http::async_read(socket, buffer, parser, awaiting(ignored));
}

Awaitable<Result<Response>> exchange(StreamSocket& socket, const BeastRequest& request,
                                     FetchOptions options, std::string peer) {
  boost::system::error_code error;
  co_await beast::http::async_write(socket, request, awaiting(error));
  if (error) co_return fail(upstream_error(peer, "send the request", error));
  beast::flat_buffer buffer;
  std::optional<ResponseParser> parser;
  do {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(options.max_head_bytes));
    parser->body_limit(boost::none);
    if (!options.head_only) parser->body_limit(options.max_body_bytes);
    parser->skip(request.method() == beast::http::verb::head);
    co_await beast::http::async_read_header(socket, buffer, *parser, awaiting(error));
    if (error) co_return fail(upstream_error(peer, "read the answer", error));
  } while (is_interim(parser->get().result_int()));
  if (options.head_only) {
    Response response = to_response(parser->get());
    if (!parser->is_done()) co_await read_away(socket, buffer, *parser, options.max_body_bytes);
    co_return response;
  }
  if (!parser->is_done())
    co_await beast::http::async_read(socket, buffer, *parser, awaiting(error));
  if (error) co_return fail(upstream_error(peer, "read the answer", error));
  co_return to_response(parser->release());
}

}  // namespace

Awaitable<Result<Response>> fetch(Endpoint endpoint, std::string method, std::string target,
                                  std::string body,
                                  std::vector<std::pair<std::string, std::string>> headers,
                                  FetchOptions options) {
  const TimePoint deadline = sys::system_clock().now() + options.timeout;
  BELLOWS_CO_TRY(const BeastRequest request,
                 build_request(endpoint, method, target, std::move(body), headers));
  BELLOWS_CO_TRY(StreamSocket socket, co_await connect_to(endpoint, deadline));
  const SocketDeadline patience(socket, deadline);
  Result<Response> response = co_await exchange(socket, request, options, to_string(endpoint));
  if (!response && patience.has_expired()) {
    co_return fail(
        ErrorKind::kTimeout, to_string(endpoint),
        "no answer to " + method + " " + target + " within " + duration_text(options.timeout),
        ErrorSide::kUpstream);
  }
  co_return response;
}

Awaitable<Result<void>> probe_tcp(Endpoint endpoint, Duration timeout) {
  BELLOWS_CO_TRY(const StreamSocket socket,
                 co_await connect_to(std::move(endpoint), sys::system_clock().now() + timeout));
  co_return Result<void>();
}

}  // namespace bellows::http
