// gRPC over HTTP, as far as a proxy takes part in it: which requests are calls, how long they may
// take, and how a reply of Bellows itself is told as a gRPC status. Sources: "gRPC over HTTP2"
// (PROTOCOL-HTTP2.md), "HTTP to gRPC Status Code Mapping", gRFC A6 (retry push-back). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/request_policies.hpp"
#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

/// The codes that Bellows sends. Apps may send others.
enum class GrpcStatus : std::uint8_t {
  kCancelled = 1,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
};

/// POST with the content type application/grpc, alone or with a suffix (+proto, -web, ;charset).
bool is_grpc_call(const http::RequestHead& head);
/// The same for the bytes of a head that could not be read.
bool is_grpc_call(std::string_view head_bytes);

/// 200 with that content type: its body is messages, and its trailers say how the call ended.
bool is_grpc_reply(const http::ResponseHead& head);

/// Follows the messages of a body: each is a flag, a length of four bytes, and so many bytes.
class GrpcMessages {
 public:
  /// How the bytes are split does not matter.
  void feed(std::string_view data);
  /// The bytes so far are whole messages, or none.
  bool is_at_boundary() const { return prefix_bytes_ == 0 && left_ == 0; }

 private:
  std::uint32_t left_ = 0;          // of the message, once its prefix is whole
  std::uint32_t prefix_bytes_ = 0;  // of a prefix that is not whole
};

/// The value of grpc-timeout: 1 to 8 digits and a unit (H, M, S, m, u, n). Anything else, and a
/// value above a hundred years, is no limit.
std::optional<Duration> read_grpc_timeout(std::string_view value);
/// That of a call; nullopt for other requests and for calls without one.
std::optional<Duration> grpc_timeout_of(const http::RequestHead& head);

/// The code for a reply of Bellows with this status of HTTP, at least 400. `reason` is that of
/// X-Bellows-Reason.
GrpcStatus grpc_status_of(int http_status, std::string_view reason);

/// That of `reply`.
int grpc_status_of(const LocalReply& reply);

/// What an app says that resets the stream of a call before its response, by the code of its
/// RST_STREAM (PROTOCOL-HTTP2.md, "Errors"). nullopt for 0: its connection has ended.
std::optional<int> grpc_status_of_reset(std::uint32_t http2_code);

/// The code that an app sends with its head (a reply without messages); nullopt: none, or no
/// number.
std::optional<int> grpc_status_in(const http::Fields& fields);

/// The same of the lines of trailers, behind messages.
std::optional<int> grpc_status_in(std::string_view trailers);

/// Appends the trailers of a call that ends after whole messages, because of `error`: grpc-status,
/// grpc-message, X-Bellows-Reason. The message names replicas only if `detail` is full. Without the
/// empty line. Returns the status.
int append_grpc_end(const Error& error, config::ErrorDetail detail, std::string& out);

/// Why an inner hop ended the call by append_grpc_end(), as its trailers say; nullopt: it did not.
std::optional<ErrorKind> grpc_end_in(std::string_view trailers);

/// Percent-encodes what is not printable ASCII, and '%'.
void append_grpc_message(std::string_view text, std::string& out);

/// Appends the lines of a failed call, after the status line: Content-Type, grpc-status,
/// grpc-message, and grpc-retry-pushback-ms if `reply` knows how long to wait. Without the empty
/// line.
void append_grpc_lines(const LocalReply& reply, std::string& out);

/// Appends the reply to a call as one head with status 200 and no body: over HTTP/2 one block of
/// headers that ends the stream ("Trailers-Only"). Arguments as those of write_local_reply().
void write_grpc_reply(const LocalReply& reply, bool keep_alive, std::string_view date_line,
                      std::string& out);

}  // namespace bellows::proxy
