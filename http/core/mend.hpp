// What a proxy must mend in the head of a response before it passes it on. Pure.
#pragma once

#include <span>

namespace bellows::http {

/// White space between a field's name and its colon goes behind the colon (RFC 9112 5.1), a folded
/// line becomes one with spaces (RFC 9112 5.2), both in place and without a change of length.
/// `bytes` begin with the status line; lines that have not come whole, and the body, stay as they
/// are. True if something was mended: then the head is read anew.
bool mend_response_head(std::span<char> bytes);

}  // namespace bellows::http
