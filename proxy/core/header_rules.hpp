// From the head that came in to the head that goes out: lines pass as they are, those of this hop
// end here (RFC 9110 7.6.1), Bellows' own are kept inside. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/core/framing.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// Who is on the other side: anybody, or another hop of Bellows (activator and queue-proxy).
enum class Peer : std::uint8_t { kOutside, kInside };

/// Both ends of an exchange, and what to add.
struct HeaderRules {
  Peer downstream = Peer::kOutside;      ///< kOutside: we are the first hop and write Forwarded
  Peer upstream = Peer::kOutside;        ///< kOutside: internal fields end here
  std::string_view client_address = {};  ///< of the downstream, without port: "127.0.0.1", "::1"
  std::string_view extra_lines = {};     ///< header lines of our own, each with its CRLF
};

/// Appends the request head for the upstream. Goes out as HTTP/1.1 (RFC 9112 2.3), as HTTP/1.0 with
/// keep-alive only if there is no host to name; the target in origin form, Host kept (or taken from
/// an absolute target). With `passes_upgrade` the Upgrade field and `Connection: upgrade` stay.
void write_request_head(const http::RequestHead& head, const HeaderRules& rules,
                        bool passes_upgrade, std::string& out);

/// How the answer's connection goes on downstream.
struct ResponseRules {
  Peer downstream = Peer::kOutside;  ///< kOutside: internal fields end here, but for
                                     ///< X-Bellows-Reason of an inner hop
  Peer upstream = Peer::kOutside;    ///< kOutside: its internal fields are not believed
  int downstream_minor_version = 1;
  bool keep_alive = true;
  bool is_upgrade = false;    ///< 101: Connection and Upgrade stay
  bool makes_chunks = false;  ///< a body without framing goes on in chunks
  std::string_view extra_lines = {};
  std::string_view date_line = {};  ///< with its CRLF, for a head that came without Date
};

/// Appends the response head for the downstream, as HTTP/1.1. To a caller of HTTP/1.0 nothing of
/// chunked coding is told: the body goes without it.
void write_response_head(const http::ResponseHead& head, const ResponseRules& rules,
                         std::string& out);

}  // namespace bellows::proxy
