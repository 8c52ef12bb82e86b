#include "http/io/client.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "http/core/chunk_scanner.hpp"
#include "http/core/framing.hpp"
#include "http/core/head.hpp"
#include "http/core/normalize.hpp"
#include "http/io/connect.hpp"
#include "http/io/socket_deadline.hpp"

namespace bellows::http {

namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

Result<void> check_request(const Endpoint& endpoint, const std::string& target,
                           const Headers& headers) {
  if (!target.starts_with('/') || has_control_byte(target) || target.find(' ') != target.npos) {
    return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                "request target \"" + target +
                    "\": want a path that starts with '/' and has no "
                    "spaces or control characters");
  }
  for (const auto& [name, value] : headers) {
    if (name.empty() || name.find_first_of(" :") != name.npos || has_control_byte(name + value)) {
      return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                  "header \"" + name +
                      "\": want a name without spaces or colons, and no control "
                      "characters");
    }
  }
  return {};
}

/// Head and body. A header that the caller names replaces the one that is sent by default.
std::string serialize(const Endpoint& endpoint, const std::string& method,
                      const std::string& target, std::string_view body, const Headers& headers) {
  std::string out = method + " " + target + " HTTP/1.1\r\n";
  const auto add_default = [&](std::string_view name, std::string_view value) {
    for (const auto& [given, ignored] : headers) {
      if (equals_ignore_case(given, name)) return;
    }
    out.append(name).append(": ").append(value).append("\r\n");
  };
  add_default("Host", endpoint.is_unix() ? "localhost" : to_string(endpoint));
  add_default("User-Agent", "bellows");
  if (!body.empty()) add_default("Content-Type", "application/json");
  for (const auto& [name, value] : headers) out += name + ": " + value + "\r\n";
  const bool announces_body = !body.empty() || method == "POST" || method == "PUT";
  if (announces_body) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  out += "Connection: close\r\n\r\n";
  out += body;
  return out;
}

HeadLimits head_limits(std::size_t max_head_bytes) {
  const auto bytes =
      static_cast<std::uint32_t>(std::min<std::size_t>(max_head_bytes, kMaxHeadLimits.total));
  return {.fields = kMaxFields, .line = bytes, .total = bytes};
}

/// Reads one response, with the head reader of the data path. Owner: the call.
class ResponseReader {
 public:
  ResponseReader(StreamSocket& socket, std::string peer, std::size_t max_head_bytes)
      : socket_(socket), peer_(std::move(peer)), parser_(head_limits(max_head_bytes)) {}

  /// The head of the final response, after any interim ones.
  Awaitable<Result<void>> read_head(std::string_view method);
  Response take_head();
  Awaitable<Result<std::string>> read_body(std::size_t max_bytes);

 private:
  Awaitable<Result<std::string>> read_length(std::size_t max_bytes);
  Awaitable<Result<std::string>> read_chunks(std::size_t max_bytes);
  Awaitable<Result<std::string>> read_until_close(std::size_t max_bytes);
  Awaitable<boost::system::error_code> read_more();
  Error read_error(const boost::system::error_code& error) const;
  Error too_large(std::size_t max_bytes) const;

  StreamSocket& socket_;
  std::string peer_;
  std::string input_;  // received and not yet consumed
  HeadParser parser_;
  ResponseHead head_;  // views into input_
  BodyFraming framing_;
};

Awaitable<Result<void>> ResponseReader::read_head(std::string_view method) {
  for (;;) {
    const HeadResult result = parser_.read(input_, head_);
    if (const auto fault = result.fault()) {
      if (normalize_response_head(std::span(input_))) {
        parser_.reset();
        continue;
      }
      const Error error = to_error(*fault, peer_, ErrorSide::kUpstream);
      co_return fail(Error(error.kind(), peer_, "read the response: " + error.message(),
                           ErrorSide::kUpstream));
    }
    if (result.is_complete() && !head_.is_interim()) break;
    if (result.is_complete()) {
      input_.erase(0, head_.size);
      parser_.reset();
      continue;
    }
    const boost::system::error_code error = co_await read_more();
    if (error) co_return fail(read_error(error));
  }
  framing_ = response_body(head_, method);
  co_return Result<void>();
}

/// To be called before the body is read.
Response ResponseReader::take_head() {
  Response response;
  response.status = head_.status;
  response.content_type = head_.fields.find("content-type").value_or("");
  for (std::size_t i = 0; i < head_.fields.size(); ++i) {
    response.headers.emplace_back(head_.fields.name(i), head_.fields.value(i));
  }
  input_.erase(0, head_.size);
  return response;
}

Awaitable<Result<std::string>> ResponseReader::read_body(std::size_t max_bytes) {
  switch (framing_.end) {
    case BodyEnd::kNone:
      co_return std::string();
    case BodyEnd::kLength:
      co_return co_await read_length(max_bytes);
    case BodyEnd::kChunked:
      co_return co_await read_chunks(max_bytes);
    case BodyEnd::kClose:
      co_return co_await read_until_close(max_bytes);
  }
  co_return std::string();
}

Awaitable<Result<std::string>> ResponseReader::read_length(std::size_t max_bytes) {
  if (framing_.length > max_bytes) co_return fail(too_large(max_bytes));
  const auto length = static_cast<std::size_t>(framing_.length);
  while (input_.size() < length) {
    const boost::system::error_code error = co_await read_more();
    if (error) co_return fail(read_error(error));
  }
  co_return input_.substr(0, length);
}

Awaitable<Result<std::string>> ResponseReader::read_chunks(std::size_t max_bytes) {
  ChunkScanner scanner(SizeBlanks::kAccepted);
  std::string body;
  for (;;) {
    std::string_view bytes = input_;
    for (std::string_view run = scanner.next_data(bytes); !run.empty();
         run = scanner.next_data(bytes)) {
      body += run;
    }
    input_.erase(0, input_.size() - bytes.size());
    if (scanner.is_broken()) {
      co_return fail(ErrorKind::kMalformed, peer_,
                     "read the response: " + std::string(fault_text(scanner.fault())),
                     ErrorSide::kUpstream);
    }
    if (body.size() > max_bytes) co_return fail(too_large(max_bytes));
    if (scanner.is_complete()) co_return body;
    const boost::system::error_code error = co_await read_more();
    if (error) co_return fail(read_error(error));
  }
}

Awaitable<Result<std::string>> ResponseReader::read_until_close(std::size_t max_bytes) {
  boost::system::error_code error;
  while (!error && input_.size() <= max_bytes) error = co_await read_more();
  if (input_.size() > max_bytes) co_return fail(too_large(max_bytes));
  if (error != net::error::eof) co_return fail(read_error(error));
  co_return std::move(input_);
}

Awaitable<boost::system::error_code> ResponseReader::read_more() {
  constexpr std::size_t kStep = 4096;
  const std::size_t size = input_.size();
  input_.resize(size + kStep);
  boost::system::error_code error;
  const std::size_t count =
      co_await socket_.async_read_some(net::buffer(input_.data() + size, kStep), awaiting(error));
  input_.resize(size + count);
  co_return error;
}

Error ResponseReader::read_error(const boost::system::error_code& error) const {
  return net_error(peer_, "read the response", error).on(ErrorSide::kUpstream);
}

Error ResponseReader::too_large(std::size_t max_bytes) const {
  return Error(
      ErrorKind::kTooLarge, peer_,
      "read the response: the body is over the limit of " + std::to_string(max_bytes) + " bytes",
      ErrorSide::kUpstream);
}

/// Reads a body whose contents do not count to its end, if that is near.
Awaitable<void> drain_body(StreamSocket& socket, ResponseReader& reader, std::size_t max_bytes) {
  constexpr Duration kNear = std::chrono::milliseconds(20);
  const SocketDeadline deadline(socket, sys::system_clock().now() + kNear);
  const Result<std::string> ignored = co_await reader.read_body(max_bytes);
}

Awaitable<Result<Response>> exchange(StreamSocket& socket, std::string_view request,
                                     const std::string& method, FetchOptions options,
                                     std::string peer) {
  boost::system::error_code error;
  co_await net::async_write(socket, net::buffer(request), awaiting(error));
  if (error) co_return fail(net_error(peer, "send the request", error).on(ErrorSide::kUpstream));
  ResponseReader reader(socket, std::move(peer), options.max_head_bytes);
  BELLOWS_CO_CHECKED(co_await reader.read_head(method));
  Response response = reader.take_head();
  if (options.head_only) {
    co_await drain_body(socket, reader, options.max_body_bytes);
    co_return response;
  }
  BELLOWS_CO_TRY(response.body, co_await reader.read_body(options.max_body_bytes));
  co_return response;
}

}  // namespace

Awaitable<Result<Response>> fetch(Endpoint endpoint, std::string method, std::string target,
                                  std::string body,
                                  std::vector<std::pair<std::string, std::string>> headers,
                                  FetchOptions options) {
  const TimePoint until = sys::system_clock().now() + options.timeout;
  BELLOWS_CO_CHECKED(check_request(endpoint, target, headers));
  const std::string request = serialize(endpoint, method, target, body, headers);
  BELLOWS_CO_TRY(StreamSocket socket, co_await connect_to(endpoint, until));
  const SocketDeadline deadline(socket, until);
  Result<Response> response =
      co_await exchange(socket, request, method, options, to_string(endpoint));
  if (!response && deadline.has_expired()) {
    co_return fail(
        ErrorKind::kTimeout, to_string(endpoint),
        "no response to " + method + " " + target + " within " + duration_text(options.timeout),
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
