// Makes text from outside safe to write to a terminal, a log or a caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bellows {

/// Returns the bytes of the UTF-8 character beyond ASCII at the start of `text`, or 0 if `text`
/// starts with none (RFC 3629: the shortest form only, no surrogates, nothing beyond U+10FFFF).
/// `text` must not be empty.
std::size_t utf8_size(std::string_view text);

/// Returns `text` with each byte that a terminal may interpret written as "\x1b": control
/// characters including line breaks and tabs, U+0080 to U+009F, and bytes that are not UTF-8. The
/// result has at most `max_bytes`; "..." marks a cut. Pure.
std::string printable(std::string_view text, std::size_t max_bytes = 1024);

}  // namespace bellows
