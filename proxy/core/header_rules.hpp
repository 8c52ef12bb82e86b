// From the received head to the head that is sent: field lines are copied as they are, except
// hop-by-hop fields (RFC 9110 7.6.1) and the internal fields of Bellows. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/core/framing.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

struct RequestTrace;

/// The other side of a connection: any client or app, or another hop of Bellows.
enum class Peer : std::uint8_t { kOutside, kInside };

/// Both sides of an exchange, and what to add.
struct HeaderRules {
  Peer downstream = Peer::kOutside;      ///< kOutside: this is the first hop and adds Forwarded
  Peer upstream = Peer::kOutside;        ///< kOutside: internal fields are removed
  bool trusts_client = true;             ///< what it says about earlier hops is kept
  std::string_view client_address = {};  ///< of the downstream, without port: "127.0.0.1", "::1"
  std::string_view scheme = "http";      ///< by which it has connected: "http" or "https"
  std::string_view client_certificate = {};  ///< that it has shown, for X-Forwarded-Client-Cert
  std::string_view extra_lines = {};         ///< added header lines, each with its CRLF
  const RequestTrace* trace = nullptr;       ///< of this request; nullptr: its lines are copied
};

/// Appends the request head for the upstream, as HTTP/1.1 (RFC 9112 2.3), or as HTTP/1.0 with
/// keep-alive if there is no host. The target is in origin form, Host as received or from an
/// absolute target. `passes_upgrade`: keeps the Upgrade field and `Connection: upgrade`. `written`:
/// for an upstream that needs its parts (Connection::try_write_head()), or nullptr; what Connection
/// means in it is left out. Then
/// `out` is empty before.
void write_request_head(const http::RequestHead& head, const HeaderRules& rules,
                        bool passes_upgrade, std::string& out,
                        http::RequestHead* written = nullptr);

/// How a response is sent downstream.
struct ResponseRules {
  Peer downstream = Peer::kOutside;  ///< kOutside: internal fields are removed, except
                                     ///< X-Bellows-Reason of an inner hop
  Peer upstream = Peer::kOutside;    ///< kOutside: its internal fields are not trusted
  int downstream_minor_version = 1;
  bool keep_alive = true;
  bool is_upgrade = false;    ///< 101: keeps Connection and Upgrade
  bool makes_chunks = false;  ///< a body without framing gets chunked coding
  std::string_view extra_lines = {};
  std::string_view date_line = {};  ///< with its CRLF, for a head without Date
};

/// Appends the response head for the downstream, as HTTP/1.1. An HTTP/1.0 downstream gets no fields
/// of chunked coding, because its body is sent without it. `written`: as above.
void write_response_head(const http::ResponseHead& head, const ResponseRules& rules,
                         std::string& out, http::ResponseHead* written = nullptr);

}  // namespace bellows::proxy
