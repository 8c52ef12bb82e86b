// Text of others that goes to a terminal, a log or a caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bellows {

/// Bytes of the UTF-8 character beyond ASCII that `text` begins with; 0: it begins with none
/// (RFC 3629: the shortest form only, no surrogates, nothing beyond U+10FFFF). `text` is not empty.
std::size_t utf8_size(std::string_view text);

/// `text` with each byte that a terminal may obey written as "\x1b": control characters, line
/// breaks and tabs among them, U+0080 to U+009F, and bytes that are no UTF-8. At most `max_bytes`;
/// "..." ends what was cut. Pure.
std::string printable(std::string_view text, std::size_t max_bytes = 1024);

}  // namespace bellows
