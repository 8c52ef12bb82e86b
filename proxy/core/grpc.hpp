// The part of gRPC over HTTP that concerns a proxy: it recognizes calls, reads their deadlines, and
// maps local replies to gRPC statuses. Sources: "gRPC over HTTP2" (PROTOCOL-HTTP2.md), "HTTP to
// gRPC Status Code Mapping", gRFC A6 (retry push-back). Pure.
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

/// Status codes that Bellows sends. Apps may send others.
enum class GrpcStatus : std::uint8_t {
  kCancelled = 1,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
};

/// Returns true for a POST with the content type application/grpc, alone or with a suffix (+proto,
/// -web, ;charset).
bool is_grpc_call(const http::RequestHead& head);
/// Does the same with the bytes of a head that cannot be parsed.
bool is_grpc_call(std::string_view head_bytes);

/// Returns true for a 200 with that content type: its body is messages, and its trailers carry the
/// status.
bool is_grpc_reply(const http::ResponseHead& head);

/// Follows the messages of a body. A message is a flag, a length of four bytes, and that many
/// bytes.
class GrpcMessages {
 public:
  /// Adds data; how they are split does not matter.
  void feed(std::string_view data);
  /// Returns true if the data so far are whole messages, or none.
  bool is_at_boundary() const { return prefix_bytes_ == 0 && left_ == 0; }

 private:
  std::uint32_t left_ = 0;          // rest of the message, once its prefix is complete
  std::uint32_t prefix_bytes_ = 0;  // bytes of an incomplete prefix
};

/// Parses the value of grpc-timeout: 1 to 8 digits and a unit (H, M, S, m, u, n). Returns nullopt
/// for anything else, and for a value above a hundred years.
std::optional<Duration> read_grpc_timeout(std::string_view value);
/// Returns the timeout of a call; nullopt for other requests and for calls without one.
std::optional<Duration> grpc_timeout_of(const http::RequestHead& head);

/// Returns the code for a local reply with this HTTP status of at least 400. `reason` is the value
/// of X-Bellows-Reason.
GrpcStatus grpc_status_of(int http_status, std::string_view reason);

/// Returns the code of `reply`.
int grpc_status_of(const LocalReply& reply);

/// Returns the status for an app that resets the stream of a call before its response, from the
/// code of its RST_STREAM (PROTOCOL-HTTP2.md, "Errors"). Returns nullopt for 0, where the
/// connection has ended.
std::optional<int> grpc_status_of_reset(std::uint32_t http2_code);

/// Returns the status that an app sends with its head (a reply without messages); nullopt if it is
/// missing or malformed.
std::optional<int> grpc_status_in(const http::Fields& fields);

/// Does the same with the lines of trailers.
std::optional<int> grpc_status_in(std::string_view trailers);

/// Appends the trailers of a call that ends after whole messages because of `error`: grpc-status,
/// grpc-message, X-Bellows-Reason, without the empty line. The message names replicas only if
/// `detail` is full. Returns the status.
int append_grpc_end(const Error& error, config::ErrorDetail detail, std::string& out);

/// Returns why an inner hop ended the call by append_grpc_end(), from its trailers; nullopt if it
/// did not.
std::optional<ErrorKind> grpc_end_in(std::string_view trailers);

/// Percent-encodes '%' and everything but printable ASCII.
void append_grpc_message(std::string_view text, std::string& out);

/// Appends the lines of a failed call after the status line, without the empty line: Content-Type,
/// grpc-status, grpc-message, and grpc-retry-pushback-ms if `reply` has a time to wait.
void append_grpc_lines(const LocalReply& reply, std::string& out);

/// Appends the reply to a call as one head with status 200 and no body, which over HTTP/2 is one
/// block of headers that ends the stream ("Trailers-Only"). The arguments are those of
/// write_local_reply().
void write_grpc_reply(const LocalReply& reply, bool keep_alive, std::string_view date_line,
                      std::string& out);

}  // namespace bellows::proxy
