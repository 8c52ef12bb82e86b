// Repairs the head of a response before a proxy forwards it. Pure.
#pragma once

#include <span>

namespace bellows::http {

/// Moves white space between a field's name and its colon after the colon (RFC 9112 5.1) and
/// unfolds lines with spaces (RFC 9112 5.2), both in place and without a change of length. `bytes`
/// begin with the status line; incomplete lines and the body stay as they are. Returns true if
/// something was changed; then the head has to be read again.
bool normalize_response_head(std::span<char> bytes);

}  // namespace bellows::http
