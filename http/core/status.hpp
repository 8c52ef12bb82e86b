// Status codes of HTTP: the one mapping of errors to them (docs/errors.md lists it), and their
// reason phrases. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.hpp"
#include "http/core/head.hpp"

namespace bellows::http {

/// Maps an error to a status: malformed 400, too-large 413, unsupported 501, not-found 404, gone
/// 410, conflict 409, overloaded, unavailable 503, refused, reset 502, timeout 504, cancelled 503,
/// system and invalid-setting 500. On the downstream side reset and timeout are 408. On the
/// upstream side every other kind except refused, reset and timeout is 502 where its status would
/// blame another side. A timeout of our own (too long in a queue) is 503.
int status_of(const Error& error);

/// Maps a fault to 400, 414 (target too long), 417 (unknown Expect), 431 (fields too large), 501 or
/// 505 (version).
int status_of(HeadFault fault);

/// A rejected order of a page (docs/revisions.md): 400 if it could not be read, else 422. Its
/// client acts on the kind in the body, so 5xx stays for what is broken itself.
int status_of_order(const Error& error);

/// Offset of the reason phrase in a status line that this program writes.
inline constexpr std::size_t kReasonBegin = std::string_view("HTTP/1.1 200 ").size();

/// Returns "Bad Gateway" for 502, and so on for the codes of RFC 9110; "Status" for any other.
std::string_view reason_phrase(int status);

}  // namespace bellows::http
