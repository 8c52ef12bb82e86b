// Converts the received head to the head that is sent. Field lines are copied unchanged, except
// hop-by-hop fields (RFC 9110 7.6.1) and the internal fields of Bellows. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/core/framing.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

struct RequestTrace;

/// The other side of a connection: any client or app (outside), or another hop of Bellows (inside).
enum class Peer : std::uint8_t { kOutside, kInside };

/// Both sides of an exchange, and the fields to add.
struct HeaderRules {
  Peer downstream = Peer::kOutside;      ///< kOutside: this is the first hop and adds Forwarded
  Peer upstream = Peer::kOutside;        ///< kOutside: internal fields are removed
  bool trusts_client = true;             ///< received information about earlier hops is kept
  std::string_view client_address = {};  ///< downstream address without port: "127.0.0.1", "::1"
  std::string_view scheme = "http";      ///< of the downstream connection: "http" or "https"
  /// Presented by the client, for X-Forwarded-Client-Cert.
  std::string_view client_certificate = {};
  std::string_view extra_lines = {};  ///< added header lines, each with its CRLF
  /// Trace of this request; nullptr: received lines are copied.
  const RequestTrace* trace = nullptr;
};

/// Appends the request head for the upstream, as HTTP/1.1 (RFC 9112 2.3), or as HTTP/1.0 with
/// keep-alive if there is no host. The target is in origin form, Host as received or from an
/// absolute target. `passes_upgrade` keeps the Upgrade field and `Connection: upgrade`. `written`
/// receives the parts for an upstream that needs them (Connection::try_write_head()), without the
/// meaning of Connection; then `out` must be empty before. It may be nullptr.
void write_request_head(const http::RequestHead& head, const HeaderRules& rules,
                        bool passes_upgrade, std::string& out,
                        http::RequestHead* written = nullptr);

/// Rules for a response that is sent downstream.
struct ResponseRules {
  Peer downstream = Peer::kOutside;  ///< kOutside: internal fields are removed, except
                                     ///< X-Bellows-Reason of an inner hop
  Peer upstream = Peer::kOutside;    ///< kOutside: its internal fields are ignored
  int downstream_minor_version = 1;
  bool keep_alive = true;
  bool is_upgrade = false;    ///< 101: keeps Connection and Upgrade
  bool makes_chunks = false;  ///< adds chunked coding to a body without framing
  std::string_view extra_lines = {};
  std::string_view date_line = {};  ///< with its CRLF, for a head without Date
};

/// Appends the response head for the downstream, as HTTP/1.1. An HTTP/1.0 downstream gets no fields
/// of chunked coding, because its body is sent without it. `written` is as above.
void write_response_head(const http::ResponseHead& head, const ResponseRules& rules,
                         std::string& out, http::ResponseHead* written = nullptr);

}  // namespace bellows::proxy
